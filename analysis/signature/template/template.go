// Package template finds what many documents of a site, a sender or a feed share, so that
// signatures are made without it: menus, footers of mails, headers of files. [Learn] finds
// the shingles that stand in many documents, a [Set] has them, and a
// [Cutter] takes the tokens of these out of a document while its signature is made.
// signature.Maker.Without does the last. [Sets] are what an index keeps: a Set for each scope.
//
// # What is left out
//
// Five or more shingles of the set that follow each other are a run. The tokens in them are left out: at the default
// width, passages of eight words and more. A single frequent shingle is a phrase that people use. With a run, the
// shingles go that overlap it: at the border of a template and a text such shingles have words of both. Fewer tokens
// than the shortest run has, seven at the default width, go too if they stand between two runs: a counter, a date, a
// name. What remains of a document is what it would be without the template. No shingle crosses the place where
// something was left out.
//
// # What is learned
//
// A shingle is of a template if it stands in ten documents that are not copies of each other. Their templates do not
// say which are: two pages of one site are nearly equal, and two mirrors of one text, on two sites, are not. So
// documents are copies if what is left of them without all that ten documents have is nearly the same, or nothing. A
// text with a hundred mirrors is no template: nothing is left of any. For that, Learn reads the documents twice.
//
// First it counts documents, not occurrences, in a filter of at most 32 MB, where several shingles may have one count.
// The passages that are frequent by it are in question: these are counted exactly in the second reading.
//
// # Numbers
//
// A shingle is here a number of consecutive token hashes h, of its own width w:
//
//	h[0]<<<11(w-1) ^ h[1]<<<11(w-2) ^ ... ^ h[w-1]
//
// where <<< turns 64 bits (Cohen, "Recursive hashing functions for n-grams", 1997). Tokens
// have random hashes already, so nothing is multiplied. As five shingles in a row are needed, one
// in five is looked at, and all around a shingle of the set. A Set keeps 32 bits of each shingle. Of a million shingles
// that are not in a set of 8,000, two seem to be.
package template

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/neardup/bleve-neardup/internal/codec"
)

const (
	// DefaultWidth is the number of tokens in a shingle of a Set.
	DefaultWidth = 4

	// MaxWidth is the greatest width.
	MaxWidth = 16

	// MinWidth is the least width.
	MinWidth = 2

	// MaxShingles is the number of shingles that a Set holds at most: some 500 templates of 1,000 words.
	MaxShingles = 500_000

	turn = 11

	// run is the number of consecutive shingles that make a run.
	run = 5
)

// Set is a set of shingles. It is not changed once it is made, and safe for concurrent use. The zero Set is empty.
type Set struct {
	width  int
	params uint32
	prints map[uint64]struct{}
}

// newSet returns the Set of prints.
func newSet(width int, params uint32, prints []uint64) *Set {
	s := &Set{width, params, make(map[uint64]struct{}, len(prints))}
	for _, p := range prints {
		s.prints[p] = struct{}{}
	}
	return s
}

// has reports whether a shingle is in the set.
func (s *Set) has(tokens []uint64) bool {
	_, ok := s.prints[print(hash(tokens))]
	return ok
}

// print returns the bits that are kept of a shingle.
func print(shingle uint64) uint64 { return shingle >> (64 - printBits) }

const printBits = 32

// Len is the number of shingles.
func (s *Set) Len() int { return len(s.prints) }

// Width is the number of tokens in a shingle.
func (s *Set) Width() int { return s.width }

// Params is the signature.Params.ID of the parameters by which the tokens were hashed.
func (s *Set) Params() uint32 { return s.params }

// Without returns a Set that has the shingles of s but for those of a text: it keeps what s leaves out of the text.
func (s *Set) Without(tokens []uint64) *Set {
	if len(s.prints) == 0 {
		return s
	}
	left := &Set{s.width, s.params, maps.Clone(s.prints)}
	for _, f := range appendShingles(nil, tokens, s.width) {
		delete(left.prints, print(f))
	}
	return left
}

// Run is a range of tokens, from one position to before another.
type Run struct{ From, To int }

// Runs returns the runs of tokens, of one value, that the set leaves out, in order.
func (s *Set) Runs(tokens []uint64) []Run { return s.runs(nil, tokens) }

func (s *Set) runs(dst []Run, tokens []uint64) []Run {
	if len(s.prints) == 0 {
		return dst
	}
	return appendRuns(dst, len(tokens)-s.width+1, s.width, func(i int) bool { return s.has(tokens[i : i+s.width]) })
}

// shortest is how many tokens the shortest run has; fewer that stand between two runs are of the one run that these become.
func shortest(width int) int { return width + run - 1 }

// appendRuns appends the runs among n shingles to dst. It looks at one shingle in run, which is enough to meet every
// run, and at all others only around those that are in question.
func appendRuns(dst []Run, n, width int, has func(i int) bool) []Run {
	for i := run - 1; i < n; i += run {
		if !has(i) {
			continue
		}
		from, to := i, i+1
		for from > 0 && i-from < run && has(from-1) {
			from--
		}
		for to < n && has(to) {
			to++
		}
		if to-from < run {
			continue
		}
		if n := len(dst) - 1; n >= 0 && from-dst[n].To < shortest(width) {
			dst[n].To = to - 1 + width
		} else {
			dst = append(dst, Run{from, to - 1 + width})
		}
		for i+run < to {
			i += run
		}
	}
	return dst
}

// hash returns the number of a shingle.
func hash(tokens []uint64) (sum uint64) {
	for _, h := range tokens {
		sum = bits.RotateLeft64(sum, turn) ^ h
	}
	return sum
}

const version = 2

// MarshalBinary returns the stored form, that of internal/codec, with the width as a varint and the shingles by their
// distances: 26 KB for 8,000, 1.1 MB at most.
func (s *Set) MarshalBinary() ([]byte, error) {
	b := codec.Begin(nil, codec.Template, version, s.params)
	b = binary.AppendUvarint(b, uint64(s.width))
	b = codec.AppendAscending(b, slices.Sorted(maps.Keys(s.prints)))
	return codec.Seal(b, 0), nil
}

// UnmarshalBinary reads what MarshalBinary returned. It returns an error that wraps signature.ErrVersion or
// signature.ErrMalformed, and then leaves s unchanged.
func (s *Set) UnmarshalBinary(data []byte) error {
	r := codec.Open(data, codec.Template, version)
	width := r.Uvarint("width", 0, MaxWidth)
	prints := r.Distances(MaxShingles, printBits)
	r.Check(width >= MinWidth || len(prints) == 0, "width", fmt.Sprintf("%d to %d", MinWidth, MaxWidth))
	if err := r.Close(); err != nil {
		return err
	}
	*s = *newSet(int(width), r.Params, prints)
	return nil
}

// MarshalText returns the stored form in base64, for JSON.
func (s *Set) MarshalText() ([]byte, error) {
	data, err := s.MarshalBinary()
	return base64.StdEncoding.AppendEncode(nil, data), err
}

// UnmarshalText reads what MarshalText returned, with the errors of UnmarshalBinary.
func (s *Set) UnmarshalText(text []byte) error {
	data, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil {
		return fmt.Errorf("template: wanted the stored form of a set in base64: %w", err)
	}
	return s.UnmarshalBinary(data)
}
