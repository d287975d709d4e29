// Package template finds what many documents of a site, a sender or a feed share, so that
// signatures are made without it: menus, footers of mails, headers of files. A [Learner]
// counts in how many documents each shingle stands, a [Set] has the frequent ones, and a
// [Cutter] takes the tokens of these out of a document while its signature is made.
// signature.Maker.Without does the last. [Sets] are what an index keeps: a Set for each scope.
//
// # What is left out
//
// Five or more shingles of the set that follow each other are a run. The tokens in them are left out: at the default width, passages of eight
// words and more. A single frequent shingle is a phrase that people use. With a run, the shingles go that overlap it: at the border of a
// template and a text such shingles have words of both. What remains of a document is what it would be without the template, if the template
// is the same word for word. Words in it that change from page to page remain, and no shingle crosses the place where something was left out.
//
// # Numbers
//
// A shingle is here a number of consecutive token hashes h, of its own width w:
//
//	h[0]<<<11(w-1) ^ h[1]<<<11(w-2) ^ ... ^ h[w-1]
//
// where <<< turns 64 bits (Cohen, "Recursive hashing functions for n-grams", 1997). Tokens
// have random hashes already, so nothing is multiplied. As five shingles in a row are needed, one
// in five is looked at, in a bitmap that stays in the first-level cache. Around a shingle of the set all are, but
// a Set remembers passages that it left out, and where a document goes on like one of them, tokens are
// compared instead. A Set keeps 32 bits of each shingle. Of a million shingles that are not in a set of 8,000, two seem to be.
//
// # Counting in bounded memory
//
// A Learner counts documents, not occurrences, and of documents with the same tokens one. It keeps
// at most 700,000 counts (lossy counting: Manku and Motwani, "Approximate frequency counts over
// data streams", 2002). When there are more, those that would be lowest are dropped, and the bound
// of the error rises by one. A shingle in more documents than that bound is never missed.
package template

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/cespare/xxhash/v2"
)

const (
	// DefaultWidth is the number of tokens in a shingle of a Set.
	DefaultWidth = 4

	// MaxWidth is the greatest width.
	MaxWidth = 16

	// MinWidth is the least width.
	MinWidth = 2

	// MaxShingles is the number of shingles that a Set holds at most.
	MaxShingles = 8000

	// MaxSize is the length of the longest stored form of a Set, in bytes.
	MaxSize = header + 4*MaxShingles + 8

	turn = 11

	// run is the number of consecutive shingles that make a run.
	run = 5

	// maxFilter is the number of bits of the largest bitmap: 32 KB. Where it is large enough,
	// one of 64 shingles that are not in the set is looked for in it.
	maxFilter = 1 << 18
)

// Set is a set of shingles. It is not changed once it is made, and safe for concurrent use. It remembers passages
// that it left out, up to 16 bytes a shingle, to leave them out faster.
// The zero Set is empty.
type Set struct {
	width  int
	params uint32
	prints []uint32 // sorted, each once

	filter []uint64 // a bit for each print
	slots  []uint32 // open addressing; 0 is free
	memory *memory
}

// newSet returns the Set of prints, which it sorts and keeps.
func newSet(width int, params uint32, prints []uint32) *Set {
	slices.Sort(prints)
	s := &Set{width: width, params: params, prints: slices.Compact(prints), memory: new(memory)}
	n := max(64, len(s.prints))
	s.filter = make([]uint64, min(maxFilter, 1<<bits.Len(uint(n*64-1)))/64)
	s.slots = make([]uint32, 1<<bits.Len(uint(n*2-1)))
	for _, p := range s.prints {
		s.filter[s.word(p)] |= 1 << (p & 63)
		i := s.slot(p)
		for s.slots[i] != 0 {
			i = (i + 1) & (len(s.slots) - 1)
		}
		s.slots[i] = p
	}
	return s
}

func (s *Set) word(p uint32) int { return int(p>>6) & (len(s.filter) - 1) }
func (s *Set) slot(p uint32) int { return int(p>>8) & (len(s.slots) - 1) }

// has reports whether p is in the set.
func (s *Set) has(p uint32) bool {
	_, ok := s.find(p)
	return ok
}

// find returns the slot of p, if it is in the set.
func (s *Set) find(p uint32) (slot int, ok bool) {
	for i := s.slot(p); s.slots[i] != 0; i = (i + 1) & (len(s.slots) - 1) {
		if s.slots[i] == p {
			return i, true
		}
	}
	return 0, false
}

// print returns the bits that are kept of a shingle, which are never 0.
func print(shingle uint64) uint32 { return max(1, uint32(shingle>>32)) }

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
	gone := map[uint32]bool{}
	for _, f := range appendShingles(nil, tokens, s.width) {
		gone[print(f)] = true
	}
	return newSet(s.width, s.params, slices.DeleteFunc(slices.Clone(s.prints), func(p uint32) bool { return gone[p] }))
}

// Run is a range of tokens, from one position to before another.
type Run struct{ From, To int }

// Runs returns the runs of tokens, of one value, that the set leaves out, in order.
func (s *Set) Runs(tokens []uint64) []Run { return s.runs(nil, tokens) }

// runs appends the runs to dst. It looks at one shingle in run, which is enough to meet every
// run, and at all others only around those that are in the set.
func (s *Set) runs(dst []Run, tokens []uint64) []Run {
	w := s.width
	last := len(tokens) - w // where the last shingle begins
	if len(s.prints) == 0 || last < run-1 {
		return dst
	}
	filter := s.filter
	mask := uint64(len(filter) - 1)
	known := s.memory.known.Load()
	for i := run - 1; i <= last; i += run {
		sum := hash(tokens[i : i+w])
		if filter[sum>>38&mask]>>(sum>>32&63)&1 == 0 {
			continue
		}
		slot, ok := s.find(print(sum))
		if !ok {
			continue
		}
		from, to := i, i+1
		for from > 0 && i-from < run && s.has(print(hash(tokens[from-1:from-1+w]))) {
			from--
		}
		looked := 0
		for {
			if n := known.same(slot, tokens[to-1:]); n > w {
				to += n - w // the shingles within the n tokens are in the set
			} else {
				looked++
			}
			if to > last {
				break
			}
			if slot, ok = s.find(print(hash(tokens[to : to+w]))); !ok {
				break
			}
			to++
		}
		if to-from < run {
			continue
		}
		if looked >= 4*run {
			s.memory.learn(s, tokens[from:to-1+w])
		}
		if n := len(dst) - 1; n >= 0 && dst[n].To >= from {
			dst[n].To = to - 1 + w
		} else {
			dst = append(dst, Run{from, to - 1 + w})
		}
		for i+run < to {
			i += run
		}
	}
	return dst
}

// hash returns the number of a shingle.
func hash(tokens []uint64) uint64 {
	if len(tokens) == DefaultWidth {
		return bits.RotateLeft64(tokens[0], 3*turn) ^ bits.RotateLeft64(tokens[1], 2*turn) ^ bits.RotateLeft64(tokens[2], turn) ^ tokens[3]
	}
	return hashAny(tokens)
}

// hashAny is hash for any width: hash itself is short enough to be inlined.
func hashAny(tokens []uint64) (sum uint64) {
	for _, h := range tokens {
		sum = bits.RotateLeft64(sum, turn) ^ h
	}
	return sum
}

// The stored form: a mark, the version, the width, the parameters, the number of prints, the
// prints in order, and the xxHash64 of all that; numbers are little-endian.
const (
	mark    = "NDT"
	version = 1
	header  = len(mark) + 1 + 1 + 4 + 4
)

// MarshalBinary returns the stored form, of at most MaxSize bytes.
func (s *Set) MarshalBinary() ([]byte, error) {
	b := append(make([]byte, 0, header+4*len(s.prints)+8), mark...)
	b = append(b, version, byte(s.width))
	b = binary.LittleEndian.AppendUint32(b, s.params)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(s.prints)))
	for _, p := range s.prints {
		b = binary.LittleEndian.AppendUint32(b, p)
	}
	return binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b)), nil
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

// UnmarshalBinary reads what MarshalBinary returned. It returns an error, and leaves s as it
// was, if data is something else, or of another version.
func (s *Set) UnmarshalBinary(data []byte) error {
	if len(data) < header+8 || string(data[:len(mark)]) != mark {
		return errors.New("template: wanted the stored form of a set, got something else")
	}
	if data[len(mark)] != version {
		return fmt.Errorf("template: version: wanted %d, got %d", version, data[len(mark)])
	}
	body := data[:len(data)-8]
	if binary.LittleEndian.Uint64(data[len(body):]) != xxhash.Sum64(body) {
		return errors.New("template: wanted the stored form of a set, got one that is damaged")
	}
	width := int(data[len(mark)+1])
	params := binary.LittleEndian.Uint32(data[len(mark)+2:])
	n := binary.LittleEndian.Uint32(data[len(mark)+6:])
	if n > MaxShingles || int(n)*4 != len(body)-header || n > 0 && (width < MinWidth || width > MaxWidth) {
		return fmt.Errorf("template: wanted at most %d shingles of %d to %d tokens, got %d of %d in %d bytes", MaxShingles, MinWidth, MaxWidth, n, width, len(data))
	}
	prints := make([]uint32, n)
	for i := range prints {
		prints[i] = binary.LittleEndian.Uint32(body[header+4*i:])
		if prints[i] == 0 || i > 0 && prints[i] <= prints[i-1] {
			return errors.New("template: wanted shingles in order, each once, got others")
		}
	}
	*s = *newSet(width, params, prints)
	return nil
}
