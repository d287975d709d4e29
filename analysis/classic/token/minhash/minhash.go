// Package minhash is a bleve token [Filter] that replaces the tokens of a text by the lanes
// of its MinHash sketch, one term per lane. Two documents share a term for every lane that
// agrees, so their number of common terms estimates their resemblance. To find documents of
// which at least 90 of 100 lanes agree, query for all terms of a document as a disjunction
// with a minimum of 90.
//
// Configuration, all optional:
//
//	"width": tokens in a shingle, 1 to 16 (4)
//	"lanes": lanes of the sketch, and so terms, 16 to 1024 (100)
//	"seed":  of the sketch, a number or a string like "0x5eed" (0)
//	"fingerprint", "bag": of the shingles, see package analysis/token/shingle
//	"method": "fast", the lanes of a signature, or "independent", a permutation for
//	    each lane: see packages sketch and minwise of analysis/signature ("fast")
//
// A term has 16 hexadecimal digits: four for the number of the lane and twelve of its
// value. The last four of these are the lane of a signature; alone they would agree by
// chance in every 65,536th document. A text shorter than a shingle has no terms. Package
// band needs a seventh of the terms to find the same documents, and then their signatures.
package minhash

import (
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/classic/minwise"
	"github.com/neardup/bleve-neardup/analysis/internal/config"
	"github.com/neardup/bleve-neardup/analysis/internal/filter"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Name is the filter's name in a mapping.
const Name = "neardup_minhash"

// valueBits is the number of a term's bits that hold the lane's value; the others hold its
// number.
const valueBits = 48

// Filter is the token filter. It is safe for concurrent use.
type Filter struct {
	params      signature.Params
	independent bool
	makers      *filter.Makers
}

// NewFilter returns a Filter, or an error if p is not valid. The Filter makes the lanes of
// signatures, or independent lanes.
func NewFilter(p signature.Params, independent bool) (*Filter, error) {
	makers, err := filter.NewMakers(p)
	if err != nil {
		return nil, err
	}
	return &Filter{p, independent, makers}, nil
}

// Filter replaces input by lanes. It takes the terms of input as they are.
func (f *Filter) Filter(input analysis.TokenStream) analysis.TokenStream {
	return f.makers.Filter(input, func(m *signature.Maker, size int) analysis.TokenStream {
		full := f.full(m)
		if full.Empty() {
			return nil
		}
		for i, v := range full.Lanes {
			full.Lanes[i] = uint64(i)<<valueBits | v&(1<<valueBits-1)
		}
		return filter.Terms(full.Lanes, size)
	})
}

func (f *Filter) full(m *signature.Maker) sketch.Full {
	if f.independent {
		return minwise.Of(minwise.Params{Lanes: f.params.Lanes, Seed: f.params.Seed}, m.Shingles())
	}
	return m.Full()
}

// FilterConstructor makes a Filter from its configuration.
func FilterConstructor(values map[string]any, _ *registry.Cache) (analysis.TokenFilter, error) {
	r := config.New(Name, values)
	p := r.Params()
	independent := r.Choice("method", "fast", "fast", "independent") == "independent"
	if err := r.Err(); err != nil {
		return nil, err
	}
	return NewFilter(p, independent)
}

func init() {
	if err := registry.RegisterTokenFilter(Name, FilterConstructor); err != nil {
		panic(err)
	}
}
