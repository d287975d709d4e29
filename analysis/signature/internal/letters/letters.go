// Package letters makes shingles of letters, for signature.Params.Letters.
package letters

import (
	"unicode/utf8"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/class"
	"github.com/neardup/bleve-neardup/analysis/signature/internal/joined"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// Line calls each for the letters of the tokens of one value, in order: the runes of the folded
// tokens, with one space between two tokens. There is no space between two letters of scripts
// that are written without spaces: there each letter is a token, and white space does not count.
// A byte that is not UTF-8 is U+FFFD.
//
// The zero Line is at the start of a value.
type Line struct {
	begun    bool
	unspaced bool // the last letter is of a script written without spaces
}

// Token takes the next token of the value.
func (l *Line) Token(term []byte, each func(r rune)) {
	for i := 0; i < len(term); {
		r, size := rune(term[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(term[i:])
		}
		unspaced, mark := class.Script(r)
		if i == 0 && l.begun && !(unspaced && l.unspaced) {
			each(' ')
		}
		each(r)
		if !mark {
			l.unspaced = unspaced
		}
		l.begun = true
		i += size
	}
}

// Shingles makes shingles of n letters. It keeps the letters that are in no shingle yet, and the n-1
// letters before them.
type Shingles struct {
	n      int
	line   Line
	salt   uint64
	ascii  [utf8.RuneSelf]uint64
	hashes []uint64

	windows func(dst, hashes []uint64) []uint64
	text    *joined.Text // in place of hashes and windows
	kept    int          // letters in text
}

// most is how many letters are kept until they are made shingles.
const most = 2048

// New returns Shingles of n letters. windows appends to dst the fingerprint of each n consecutive
// numbers of letters; if it is nil, the fingerprint is xxHash64 of the n letters themselves, as UTF-8.
func New(n int, seed uint64, windows func(dst, hashes []uint64) []uint64) *Shingles {
	l := &Shingles{n: n, salt: token.Mix(seed, 8), windows: windows}
	if windows == nil {
		l.text = joined.NewLetters(seed)
		return l
	}
	for r := range l.ascii {
		l.ascii[r] = token.Mix(l.salt, uint64(r))
	}
	return l
}

// Width is the number of letters in a shingle.
func (l *Shingles) Width() int { return l.n }

// Add adds a token. It calls full whenever there are many letters, for it to call Append.
func (l *Shingles) Add(term []byte, full func()) {
	l.line.Token(term, func(r rune) {
		switch {
		case l.text != nil:
			var b [utf8.UTFMax]byte
			l.text.Add(b[:utf8.EncodeRune(b[:], r)])
		case r < utf8.RuneSelf:
			l.hashes = append(l.hashes, l.ascii[r])
		default:
			l.hashes = append(l.hashes, token.Mix(l.salt, uint64(r)))
		}
		if l.kept++; l.kept == most {
			full()
		}
	})
}

// Append appends to dst the fingerprints of the shingles that were not taken yet.
func (l *Shingles) Append(dst []uint64) []uint64 {
	rest := min(l.kept, l.n-1)
	if l.text != nil {
		dst = l.text.Append(dst, l.n, l.kept)
		l.text.Keep(rest)
	} else {
		dst = l.windows(dst, l.hashes)
		l.hashes = append(l.hashes[:0], l.hashes[l.kept-rest:]...)
	}
	l.kept = rest
	return dst
}

// EndValue forgets all letters.
func (l *Shingles) EndValue() {
	l.line, l.kept, l.hashes = Line{}, 0, l.hashes[:0]
	if l.text != nil {
		l.text.Keep(0)
	}
}
