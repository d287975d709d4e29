package token

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/nfkc"
)

// Texts in NFC, NFD, NFKC and NFKD have the same tokens, and so do full-width, half-width
// and other compatibility forms of letters and digits: a token is read in NFKC.
//
// The naive way normalises the text first, which takes longer than everything else. Here the
// table of classes marks the runes that NFKC changes or can join to the rune before them. A
// text in NFC has hardly any of these. At such a rune, its run is normalised to a buffer,
// and the tokens of the buffer are those of the run. A run begins where the open token
// begins, and ends before the next separator or ideograph that needs no normalising: NFKC
// changes nothing across these places. Separators themselves stay as they are, so that "™"
// remains one.

// unstable reports whether NFKC changes r, or can join r to a rune before it. It is the
// slow, readable definition.
func unstable(r rune) bool {
	if nfkc.Combines(r) {
		return true
	}
	var buf [utf8.UTFMax]byte
	text := buf[:utf8.EncodeRune(buf[:], r)]
	return !norm.NFKC.IsNormal(text)
}
