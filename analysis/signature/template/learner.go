package template

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
)

// Options say what Learn takes for a template. The zero Options are the defaults.
type Options struct {
	// Width is the number of tokens in a shingle: MinWidth to MaxWidth, 0 means DefaultWidth.
	// Of what is repeated, passages of fewer than Width+4 tokens are kept.
	Width int `json:"width"`

	// Share is the part of the documents, 0 to 1, in which a shingle of a template stands at least. With 0 the number of
	// documents alone counts.
	Share float64 `json:"share"`

	// Documents is the number of documents in which it stands at least; 0 means DefaultDocuments. As many of them, or
	// ten, must have a rest of their own.
	Documents int `json:"documents"`
}

// DefaultDocuments is the default of Options.Documents.
const DefaultDocuments = 10

// normal returns o with its defaults, or an error if o is not valid.
func (o Options) normal() (Options, error) {
	o.Width, o.Documents = cmp.Or(o.Width, DefaultWidth), cmp.Or(o.Documents, DefaultDocuments)
	switch {
	case o.Width < MinWidth || o.Width > MaxWidth:
		return o, fmt.Errorf("template: width: wanted %d to %d, got %d", MinWidth, MaxWidth, o.Width)
	case !(o.Share >= 0 && o.Share <= 1):
		return o, fmt.Errorf("template: share: wanted 0 to 1, got %v", o.Share)
	case o.Documents < 2:
		return o, fmt.Errorf("template: documents: wanted at least 2, got %d", o.Documents)
	}
	return o, nil
}

// Learned is what Learn has learned.
type Learned struct {
	// Documents is the number of different documents, and Copies that of the others.
	Documents, Copies uint64

	// Least is the number of documents in which a shingle of the Set stands at least. It is more than Options ask for if
	// there are more shingles than can be told apart: some 500 million.
	Least uint64

	// Unfit is the number of documents with a passage for which there was no place, as MaxShingles others came before it:
	// it stays in signatures.
	Unfit uint64

	// Set has the shingles.
	Set *Set

	counts map[uint64]uint64
}

// Learn learns a Set from documents, which it reads twice: the token hashes of each of their values, hashed by the
// parameters with that signature.Params.ID. A document that has the same tokens as another before it does not count.
// It takes 32 MB at most for a first count of shingles, 70 bytes for each shingle of a passage that is in question,
// 150 for each document, and the shingles of the longest document. It returns an error if o is not valid.
func Learn(params uint32, o Options, documents iter.Seq[[][]uint64]) (*Learned, error) {
	o, err := o.normal()
	switch {
	case err != nil:
		return nil, err
	case documents == nil:
		return nil, errors.New("template: wanted documents, got nil")
	}
	return newLearner(params, o).learn(documents), nil
}

// learner is one call of Learn.
type learner struct {
	Options
	params uint32
	found  *Learned
	filter filter
	counts counts
	groups groups

	own    shingle.Set // shingles of one document
	prints []uint64
	runs   []Run
}

func newLearner(params uint32, o Options) *learner {
	return &learner{
		Options: o, params: params, found: &Learned{counts: map[uint64]uint64{}}, filter: make(filter, 1<<20),
		counts: counts{most: MaxShingles, groups: min(o.Documents, 10), places: map[uint64]uint32{}}, groups: groups{},
	}
}

func (l *learner) learn(documents iter.Seq[[][]uint64]) *Learned {
	found, crowd := l.found, 0
	for values := range l.different(documents) {
		l.prints = l.prints[:0]
		for _, tokens := range values {
			l.prints = appendShingles(l.prints, tokens, l.Width)
		}
		l.own.Reset()
		for _, f := range l.own.Add(l.prints) {
			*l.filter.of(f) = max(*l.filter.of(f), *l.filter.of(f)+1) // up to 255
		}
		if crowd += l.own.Len(); crowd > len(l.filter) && len(l.filter) < mostFilter {
			l.filter, crowd = l.filter.grown(), 0
		}
	}
	found.Least = max(uint64(l.Documents), uint64(math.Ceil(l.Share*float64(found.Documents))), l.filter.noise())
	for values := range l.different(documents) {
		l.confirm(values)
	}
	var prints []uint64
	for f, i := range l.counts.places {
		if n := uint64(l.counts.documents[i]); n >= found.Least && l.counts.of(i)[l.counts.groups-1] != 0 {
			p := print(f)
			found.counts[p] = max(found.counts[p], n)
			prints = append(prints, p)
		}
	}
	found.Set = newSet(l.Width, l.params, prints)
	return found
}

// different yields the documents that have other tokens than all before them, and counts both.
func (l *learner) different(documents iter.Seq[[][]uint64]) iter.Seq[[][]uint64] {
	return func(yield func([][]uint64) bool) {
		var seen shingle.Set
		var exact xxhash.Digest
		var bytes []byte
		l.found.Documents, l.found.Copies = 0, 0
		for values := range documents {
			exact.Reset()
			for _, tokens := range values {
				bytes = bytes[:0]
				for _, h := range tokens {
					bytes = binary.LittleEndian.AppendUint64(bytes, h)
				}
				exact.Write(append(bytes, "value"...))
			}
			if len(seen.Add([]uint64{exact.Sum64()})) == 0 {
				l.found.Copies++
				continue
			}
			l.found.Documents++
			if !yield(values) {
				return
			}
		}
	}
}

// confirm counts a document for the shingles of its passages that seem to be in as many others, and remembers what is
// left of it.
func (l *learner) confirm(values [][]uint64) {
	least := uint8(min(l.found.Least, math.MaxUint8))
	var shared, rest []uint64
	for _, tokens := range values {
		l.prints = appendShingles(l.prints[:0], tokens, l.Width)
		from := 0
		l.runs = appendRuns(l.runs[:0], len(l.prints), l.Width, func(i int) bool { return *l.filter.of(l.prints[i]) >= least })
		for _, r := range append(l.runs, Run{len(tokens), len(tokens)}) {
			rest = appendShingles(rest, tokens[from:r.From], l.Width)
			for i := r.From; i+l.Width <= r.To; i++ {
				if *l.filter.of(l.prints[i]) >= least {
					shared = append(shared, l.prints[i])
				}
			}
			from = r.To
		}
	}
	if len(shared) == 0 {
		return
	}
	group, fits := l.groups.of(rest), true
	l.own.Reset()
	for _, f := range l.own.Add(shared) {
		fits = l.counts.add(f, group) && fits
	}
	if !fits {
		l.found.Unfit++
	}
}

// appendShingles appends all shingles of a value.
func appendShingles(dst, tokens []uint64, width int) []uint64 {
	if len(tokens) < width {
		return dst
	}
	var sum uint64
	for _, h := range tokens[:width-1] {
		sum = bits.RotateLeft64(sum, turn) ^ h
	}
	for i, h := range tokens[width-1:] {
		sum = bits.RotateLeft64(sum, turn) ^ h
		dst = append(dst, sum)
		sum ^= bits.RotateLeft64(tokens[i], turn*(width-1))
	}
	return dst
}

// filter counts in how many documents each shingle stands, up to 255. Shingles with the same first bits have one count,
// so a count can be too large, never too small.
type filter []uint8

const mostFilter = 1 << 25

func (c filter) of(f uint64) *uint8 { return &c[f>>(64-bits.Len(uint(len(c)-1)))] }

// grown returns a filter of twice as many counts.
func (c filter) grown() filter {
	grown := make(filter, 2*len(c))
	for i := range grown {
		grown[i] = c[i/2]
	}
	return grown
}

// noise is a count that few shingles have by accident: five in a row do not.
func (c filter) noise() uint64 {
	var sum float64
	for _, n := range c {
		sum += float64(n)
	}
	mean := sum / float64(len(c))
	return uint64(mean + 3*math.Sqrt(mean))
}

// counts say in how many documents each shingle stands, and in which groups of them, of the first ones as many as count.
type counts struct {
	most, groups int
	places       map[uint64]uint32
	documents    []uint32 // by place
	first        []uint32 // by place: groups, 0 where there is none
}

func (c *counts) of(place uint32) []uint32 { return c.first[int(place)*c.groups:][:c.groups] }

// add counts a document of a group. It returns false if there is no place for a shingle that is new.
func (c *counts) add(f uint64, group uint32) bool {
	place, ok := c.places[f]
	if !ok {
		if len(c.places) == c.most {
			return false
		}
		place = uint32(len(c.documents))
		c.places[f], c.documents = place, append(c.documents, 0)
		c.first = append(c.first, make([]uint32, c.groups)...)
	}
	c.documents[place]++
	for i, g := range c.of(place) {
		if g == 0 {
			c.of(place)[i] = group
		}
		if g == 0 || g == group {
			break
		}
	}
	return true
}

// groups are documents whose rests are like each other, by keys of the rests: each of eight keys is of three lanes, so
// that rests with a resemblance of .8 have one in common in .997 of cases, with .5 in .66, with .15 in .03.
type groups map[uint64]uint32

// of returns the group of a rest by its shingles, that of the first document that has one of its keys. If
// hardly anything is left, it is 1.
func (g groups) of(rest []uint64) uint32 {
	if len(rest) < run {
		return 1
	}
	var keys [8]uint64
	for i := range keys {
		for j := range uint64(3) {
			least, salt := uint64(math.MaxUint64), (3*uint64(i)+j+1)*0x9e3779b97f4a7c15|1
			for _, f := range rest {
				least = min(least, (f^f>>32)*salt)
			}
			keys[i] = bits.RotateLeft64(keys[i], 21) ^ least*salt
		}
	}
	group := uint32(len(g) + 2)
	for _, k := range keys {
		if known := g[k]; known != 0 {
			group = min(group, known)
		}
	}
	for _, k := range keys {
		g[k] = group
	}
	return group
}

// In returns in how many documents the shingles of a run of tokens stand that the Set leaves out: the least number of
// any. It is 0 if the Set has none of them.
func (f *Learned) In(run []uint64) (documents uint64) {
	for _, s := range appendShingles(nil, run, f.Set.width) {
		if n := f.counts[print(s)]; n > 0 && (n < documents || documents == 0) {
			documents = n
		}
	}
	return documents
}
