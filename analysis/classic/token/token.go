// Package token has bleve's token filters of the sketches of the literature: [Minhash] and [Supershingle].
package token

import (
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/classic"
	"github.com/neardup/bleve-neardup/analysis/internal/component"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
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

func newMinhash(values map[string]any, _ *registry.Cache) (analysis.TokenFilter, error) {
	r := component.New(Minhash, values)
	p := r.Params()
	return component.Filter(r, p, func(m *signature.Maker, size int) analysis.TokenStream {
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

// Supershingle is the name, in a mapping, of the token filter that replaces the tokens of a text by its
// supershingles: hashes of groups of lanes of its sketch. Documents with at least two terms
// in common are near-duplicates by the rule of Fetterly, Manasse and Najork (2003). To find
// them, query for the terms of a document as a disjunction with a minimum of 2.
//
// Configuration, all optional:
//
//	"width":       tokens in a shingle, 1 to 16 (4)
//	"lanes":       lanes of the sketch, 16 to 1024 (100)
//	"seed":        of the sketch, a number or a string like "0x5eed" (0)
//	"fingerprint", "bag": of the shingles, see package analysis/token
//	"groups":      supershingles, 1 to 64 (6)
//	"group_width": lanes in each, 1 or more (14)
//
// The groups are made of the first groups·group_width lanes; the sketch must have as many.
// With the defaults two documents of resemblance .8 have two terms in common with
// probability .03, of .9 with .4, of .95 with .9. A term has 16 hexadecimal digits: two for
// the number of the group and fourteen of its hash. A text shorter than a shingle has none.
const Supershingle = "neardup_supershingle"

// The other bits of a term hold the number of the lane or group.
const (
	valueBits = 48 // of a lane's value
	hashBits  = 56 // of a supershingle
)

func newSupershingle(values map[string]any, _ *registry.Cache) (analysis.TokenFilter, error) {
	r := component.New(Supershingle, values)
	p, plan := r.Params(), classic.DefaultPlan()
	plan.Need = 1 // not used
	plan.Groups = r.Int("groups", plan.Groups, 1, classic.MaxGroups)
	plan.Width = r.Int("group_width", plan.Width, 1, sketch.MaxLanes/plan.Groups)
	if n := plan.Groups * plan.Width; n > p.Lanes {
		r.Failf("lanes", "wanted at least %d for %d groups of %d, got %d", n, plan.Groups, plan.Width, p.Lanes)
	}
	return component.Filter(r, p, func(m *signature.Maker, size int) analysis.TokenStream {
		sig := m.Signature()
		features := classic.SupershinglesOf(plan, sig.Sketch, sig.Params).Features
		for i, feature := range features {
			features[i] = uint64(i)<<hashBits | feature&(1<<hashBits-1)
		}
		return component.Terms(features, size)
	})
}

func init() {
	for name, constructor := range map[string]registry.TokenFilterConstructor{Minhash: newMinhash, Supershingle: newSupershingle} {
		if err := registry.RegisterTokenFilter(name, constructor); err != nil {
			panic(err)
		}
	}
}
