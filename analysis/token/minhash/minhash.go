// Package minhash is a bleve token filter that replaces the tokens of a text by the
// lanes of its MinHash sketch, a term for each. Two documents share a term for
// every lane that agrees, so their number of common terms estimates their
// resemblance; a query for those of which at least 90 of 100 lanes agree is a
// disjunction of all terms of a document with a minimum of 90.
//
// Configuration, all optional:
//
//	"width": tokens in a shingle, 1 to 16 (4)
//	"lanes": lanes of the sketch, and so terms, 16 to 1024 (100)
//	"seed":  of the sketch, a number or a string like "0x5eed" (0)
//
// A term has 16 hexadecimal digits: four for the number of the lane and twelve of
// its value, of which the last four are the lane as a signature has it. Those
// alone would agree by chance in every 65,536th document. A text shorter than a
// shingle has no terms. Package band needs a seventh of the terms to find the same
// documents, and then their signatures.
package minhash

import (
	"encoding/binary"
	"encoding/hex"
	"sync"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/internal/config"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Name is the filter's name in a mapping.
const Name = "neardup_minhash"

// valueBits of a term are of the lane's value, the others of its number.
const valueBits = 48

// Filter is the token filter. It is safe for concurrent use.
type Filter struct {
	workers sync.Pool
}

// worker makes the lanes of one document after another.
type worker struct {
	maker   *signature.Maker
	builder *sketch.Builder
}

// NewFilter returns a Filter, or an error if p is not valid; of p only the width,
// the lanes and the seed matter.
func NewFilter(p signature.Params) (*Filter, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	f := &Filter{}
	f.workers.New = func() any {
		m, _ := signature.NewMaker(p)
		return &worker{m, sketch.NewBuilder(p.Lanes, p.Seed)}
	}
	return f, nil
}

// Filter replaces input, whose terms it takes as they are, by lanes.
func (f *Filter) Filter(input analysis.TokenStream) analysis.TokenStream {
	w := f.workers.Get().(*worker)
	defer f.workers.Put(w)
	size := 0
	for _, t := range input {
		w.maker.Term(t.Term)
		size = max(size, t.End)
	}
	w.maker.EndValue()
	lanes := w.lanes()
	stream := make(analysis.TokenStream, len(lanes))
	for i, v := range lanes {
		var raw [8]byte
		binary.BigEndian.PutUint64(raw[:], uint64(i)<<valueBits|v&(1<<valueBits-1))
		stream[i] = &analysis.Token{Term: hex.AppendEncode(nil, raw[:]), End: size, Position: i + 1, Type: analysis.Shingle}
	}
	return stream
}

// lanes returns the lanes of what the maker has, none if it has no shingle, and makes
// it ready for the next document.
func (w *worker) lanes() []uint64 {
	defer w.maker.Reset()
	fingerprints := w.maker.Shingles()
	if len(fingerprints) == 0 {
		return nil
	}
	w.builder.Reset()
	w.builder.Add(fingerprints)
	w.builder.Finish(fingerprints)
	return w.builder.Full().Lanes
}

// FilterConstructor makes a Filter from its configuration.
func FilterConstructor(values map[string]interface{}, _ *registry.Cache) (analysis.TokenFilter, error) {
	r := config.New(Name, values)
	p := r.Params()
	if err := r.Err(); err != nil {
		return nil, err
	}
	return NewFilter(p)
}

func init() {
	if err := registry.RegisterTokenFilter(Name, FilterConstructor); err != nil {
		panic(err)
	}
}
