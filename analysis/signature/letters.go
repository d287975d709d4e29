package signature

import (
	"cmp"
	"unicode/utf8"

	"github.com/neardup/bleve-neardup/analysis/signature/rabin"
	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// line calls each for the letters of the tokens of one value, in order: the runes of the folded
// tokens, with one space between two tokens. There is no space between two letters of scripts
// that are written without spaces: there each letter is a token, and white space does not count.
// A byte that is not UTF-8 is U+FFFD.
//
// The zero line is at the start of a value.
type line struct {
	begun    bool
	unspaced bool // the last letter is of a script written without spaces
}

func (l *line) token(term []byte, each func(r rune)) {
	for i := 0; i < len(term); {
		r, size := rune(term[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(term[i:])
		}
		unspaced, mark := token.Script(r)
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

// letters makes shingles of n letters, for Params.Letters. It keeps the letters that are in no
// shingle yet, and the n-1 letters before them.
//
// The polynomial and the Rabin fingerprints take a number for each letter in place of a token
// hash; xxHash64 is of the n letters themselves, as UTF-8.
type letters struct {
	n      int
	line   line
	salt   uint64
	ascii  [utf8.RuneSelf]uint64
	hashes []uint64
	append func(dst, hashes []uint64) []uint64

	text *shingle.Joined // in place of hashes, for XXHash64
	kept int             // letters in text
}

// mostLetters is how many letters are kept until they are made shingles.
const mostLetters = 2048

func newLetters(p Params) *letters {
	l := &letters{n: p.Letters, salt: token.Mix(p.Seed, 8)}
	switch cmp.Or(p.Fingerprint, Polynomial) {
	case XXHash64:
		l.text = shingle.NewLetters(p.Seed)
		return l
	case Rabin64, Rabin40:
		f := rabin.New(rabin.Random(degreeOf(p.Fingerprint), p.Seed))
		windows := f.Windows(p.Letters)
		l.append = windows.Append
	default:
		windows := shingle.NewWindows(p.Letters, p.Seed)
		l.append = windows.Append
	}
	for r := range l.ascii {
		l.ascii[r] = token.Mix(l.salt, uint64(r))
	}
	return l
}

// add adds a token. It calls full whenever there are many letters, for it to call shingles.
func (l *letters) add(term []byte, full func()) {
	l.line.token(term, func(r rune) {
		switch {
		case l.text != nil:
			var b [utf8.UTFMax]byte
			l.text.Add(b[:utf8.EncodeRune(b[:], r)])
		case r < utf8.RuneSelf:
			l.hashes = append(l.hashes, l.ascii[r])
		default:
			l.hashes = append(l.hashes, token.Mix(l.salt, uint64(r)))
		}
		if l.kept++; l.kept == mostLetters {
			full()
		}
	})
}

// shingles appends to dst the fingerprints of the shingles that were not taken yet.
func (l *letters) shingles(dst []uint64) []uint64 {
	rest := min(l.kept, l.n-1)
	if l.text != nil {
		dst = l.text.Append(dst, l.n, l.kept)
		l.text.Keep(rest)
	} else {
		dst = l.append(dst, l.hashes)
		l.hashes = append(l.hashes[:0], l.hashes[l.kept-rest:]...)
	}
	l.kept = rest
	return dst
}

// endValue forgets all letters.
func (l *letters) endValue() {
	l.line, l.kept, l.hashes = line{}, 0, l.hashes[:0]
	if l.text != nil {
		l.text.Keep(0)
	}
}
