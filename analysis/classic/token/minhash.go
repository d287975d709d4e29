// Package token has bleve's token filters of the sketches of the literature: [Minhash] and [Supershingle].
package token

import (
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/classic"
	"github.com/neardup/bleve-neardup/analysis/internal/component"
	"github.com/neardup/bleve-neardup/analysis/signature"
)

// Minhash is the name, in a mapping, of the token filter that replaces the tokens of a text by the lanes
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
//	"fingerprint", "bag": of the shingles, see package analysis/token
//
// A term has 16 hexadecimal digits: four for the number of the lane and twelve of its value, which has a permutation of
// its own: see classic.MinwiseOf. A text shorter than a shingle has no terms. The filter Band of package analysis/token
// needs a seventh of the terms to find the same documents, and then their signatures.
const Minhash = "neardup_minhash"

// valueBits is the number of a term's bits that hold the lane's value; the others hold its
// number.
const valueBits = 48

func newMinhash(values map[string]any, _ *registry.Cache) (analysis.TokenFilter, error) {
	r := component.New(Minhash, values)
	p := r.Params()
	if err := r.Err(); err != nil {
		return nil, err
	}
	return component.Filter(p, func(m *signature.Maker, size int) analysis.TokenStream {
		shingles := m.Shingles()
		if len(shingles) == 0 {
			return nil
		}
		lanes := classic.MinwiseOf(classic.MinwiseParams{Lanes: p.Lanes, Seed: p.Seed}, shingles).Lanes
		for i, v := range lanes {
			lanes[i] = uint64(i)<<valueBits | v&(1<<valueBits-1)
		}
		return component.Terms(lanes, size)
	})
}

func init() {
	for name, constructor := range map[string]registry.TokenFilterConstructor{Minhash: newMinhash, Supershingle: newSupershingle} {
		if err := registry.RegisterTokenFilter(name, constructor); err != nil {
			panic(err)
		}
	}
}
