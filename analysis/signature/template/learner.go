package template

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
)

// Options say what a Learner takes for a template. The zero Options are the defaults.
type Options struct {
	// Width is the number of tokens in a shingle: MinWidth to MaxWidth, 0 means DefaultWidth.
	// Of what is repeated, passages of fewer than Width+4 tokens are kept.
	Width int `json:"width"`

	// Share is the part of the documents, above 0 and up to 1, in which a shingle of a
	// template stands at least; 0 means DefaultShare.
	Share float64 `json:"share"`

	// Documents is the number of documents in which it stands at least; 0 means
	// DefaultDocuments.
	Documents int `json:"documents"`
}

const (
	// DefaultShare is the default of Options.Share.
	DefaultShare = .1

	// DefaultDocuments is the default of Options.Documents.
	DefaultDocuments = 10
)

// normal returns o with its defaults, or an error if o is not valid.
func (o Options) normal() (Options, error) {
	o.Width, o.Share, o.Documents = cmp.Or(o.Width, DefaultWidth), cmp.Or(o.Share, DefaultShare), cmp.Or(o.Documents, DefaultDocuments)
	switch {
	case o.Width < MinWidth || o.Width > MaxWidth:
		return o, fmt.Errorf("template: width: wanted %d to %d, got %d", MinWidth, MaxWidth, o.Width)
	case !(o.Share > 0 && o.Share <= 1):
		return o, fmt.Errorf("template: share: wanted above 0 and up to 1, got %v", o.Share)
	case o.Documents < 2:
		return o, fmt.Errorf("template: documents: wanted at least 2, got %d", o.Documents)
	}
	return o, nil
}

// maxSlots is the size of the largest table of counts, two thirds of which are used: 16 MB.
const maxSlots = 1 << 20

// Learner learns a Set from documents. It is not safe for concurrent use. It takes at most 40
// MB, 20 bytes for each document, and the shingles of the longest document.
type Learner struct {
	options   Options
	params    uint32
	most      int // slots
	documents uint64
	copies    uint64

	seen   shingle.Set // hashes of documents
	own    shingle.Set // shingles of one document
	prints []uint64
	exact  xxhash.Digest
	bytes  []byte

	keys   []uint64
	counts []count // 0 documents: the slot is free
	used   int
	bound  uint32 // of the error
}

// count is in how many documents a shingle was seen, and in how many more it can have been before
// that.
type count struct{ seen, before uint32 }

// NewLearner returns a Learner of documents whose tokens are hashed by the parameters with that
// signature.Params.ID. It returns an error if o is not valid.
func NewLearner(params uint32, o Options) (*Learner, error) {
	o, err := o.normal()
	if err != nil {
		return nil, err
	}
	l := &Learner{options: o, params: params, most: maxSlots}
	l.exact.Reset()
	l.grow(1 << 12)
	return l, nil
}

// Add adds a document: the token hashes of each of its values. One that has the same tokens as
// another before it does not count.
func (l *Learner) Add(values ...[]uint64) {
	l.prints = l.prints[:0]
	l.exact.Reset()
	for _, tokens := range values {
		l.prints = appendShingles(l.prints, tokens, l.options.Width)
		l.bytes = l.bytes[:0]
		for _, h := range tokens {
			l.bytes = append(l.bytes, byte(h), byte(h>>8), byte(h>>16), byte(h>>24), byte(h>>32), byte(h>>40), byte(h>>48), byte(h>>56))
		}
		l.exact.Write(append(l.bytes, "value"...))
	}
	if len(l.seen.Add([]uint64{l.exact.Sum64()})) == 0 {
		l.copies++
		return
	}
	l.documents++
	l.own.Reset()
	for _, f := range l.own.Add(l.prints) {
		l.count(f)
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

func (l *Learner) find(key uint64) int {
	mask := len(l.keys) - 1
	i := int(key*0x9e3779b97f4a7c15>>32) & mask
	for l.counts[i].seen > 0 && l.keys[i] != key {
		i = (i + 1) & mask
	}
	return i
}

// count counts one document of a shingle.
func (l *Learner) count(key uint64) {
	i := l.find(key)
	if l.counts[i].seen > 0 {
		l.counts[i].seen++
		return
	}
	if 3*(l.used+1) > 2*len(l.keys) {
		if len(l.keys) < l.most {
			l.grow(2 * len(l.keys))
		} else {
			l.drop()
		}
		i = l.find(key)
	}
	l.keys[i], l.counts[i] = key, count{1, l.bound}
	l.used++
}

// grow makes tables of so many slots.
func (l *Learner) grow(slots int) {
	keys, counts := l.keys, l.counts
	l.keys, l.counts = make([]uint64, slots), make([]count, slots)
	for i, c := range counts {
		if c.seen > 0 {
			j := l.find(keys[i])
			l.keys[j], l.counts[j] = keys[i], c
		}
	}
}

// drop raises the bound until a third of the counts is dropped.
func (l *Learner) drop() {
	left := 0
	for target := l.used * 2 / 3; ; {
		l.bound++
		left = 0
		for _, c := range l.counts {
			if c.seen > 0 && c.seen+c.before > l.bound {
				left++
			}
		}
		if left <= target {
			break
		}
	}
	// The tables stay where they are: new ones would double the memory.
	keys, counts := make([]uint64, 0, left), make([]count, 0, left)
	for i, c := range l.counts {
		if c.seen > 0 && c.seen+c.before > l.bound {
			keys, counts = append(keys, l.keys[i]), append(counts, c)
		}
	}
	clear(l.counts)
	l.used = left
	for i, key := range keys {
		j := l.find(key)
		l.keys[j], l.counts[j] = key, counts[i]
	}
}

// Learned is what a Learner has learned.
type Learned struct {
	// Documents is the number of different documents, and Copies that of the others.
	Documents uint64 `json:"documents"`
	Copies    uint64 `json:"copies"`

	// Least is the number of documents in which a shingle of the Set stands at least. It is
	// more than Options ask for if the counts have a greater error.
	Least uint64 `json:"least"`

	// Shingles is the number of shingles that stand in as many; if it is more than
	// MaxShingles, the Set has those of most documents.
	Shingles int `json:"shingles"`

	// Set has the shingles.
	Set *Set `json:"-"`

	counts map[uint32]uint64
}

// Learn returns what was learned so far. Documents may be added after it.
func (l *Learner) Learn() Learned {
	least := max(uint64(l.options.Documents), uint64(l.options.Share*float64(l.documents)+.999999), 2*uint64(l.bound)+1)
	type frequent struct {
		key  uint64
		seen uint64
	}
	var all []frequent
	for i, c := range l.counts {
		if n := uint64(c.seen) + uint64(c.before); c.seen > 0 && n >= least {
			all = append(all, frequent{l.keys[i], n})
		}
	}
	found := Learned{Documents: l.documents, Copies: l.copies, Least: least, Shingles: len(all), counts: map[uint32]uint64{}}
	slices.SortFunc(all, func(a, b frequent) int { return cmp.Or(cmp.Compare(b.seen, a.seen), cmp.Compare(a.key, b.key)) })
	all = all[:min(len(all), MaxShingles)]
	prints := make([]uint32, len(all))
	for i, f := range all {
		prints[i] = print(f.key)
		found.counts[prints[i]] = max(found.counts[prints[i]], f.seen)
	}
	found.Set = newSet(l.options.Width, l.params, prints)
	return found
}

// In returns in how many documents the shingles of a run of tokens stand that the Set
// leaves out: the least number of any, which can be too high by what Least exceeds Options
// by.
func (f *Learned) In(run []uint64) (documents uint64) {
	for i, s := range appendShingles(nil, run, f.Set.width) {
		if n := f.counts[print(s)]; i == 0 || n < documents {
			documents = n
		}
	}
	return documents
}
