package token

import (
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
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
	if combines(r) {
		return true
	}
	var buf [utf8.UTFMax]byte
	text := buf[:utf8.EncodeRune(buf[:], r)]
	return !norm.NFKC.IsNormal(text)
}

// combines reports whether NFC can join r to a rune before it.
func combines(r rune) bool {
	return joining()[r] || 0x1161 <= r && r <= 0x1175 || 0x11a8 <= r && r <= 0x11c2 // vowels and finals of Hangul
}

// joining has the runes that are joined to a rune before them in NFC.
var joining = sync.OnceValue(func() map[rune]bool {
	found := make(map[rune]bool)
	for pair := range pairs() {
		found[pair[1]] = true
	}
	return found
})

// stable reports whether r is of a large block of which NFKC changes nothing: ideographs,
// syllables of Hangul and Yi, and what is for private use.
func stable(r rune) bool {
	return 0x3400 <= r && r < 0xa4d0 || 0xac00 <= r && r < 0xf900 || 0x17000 <= r && r < 0x1b000
}

// order returns the canonical combining class of r.
func order(r rune) uint8 {
	var buf [utf8.UTFMax]byte
	return norm.NFKC.Properties(buf[:utf8.EncodeRune(buf[:], r)]).CCC()
}
