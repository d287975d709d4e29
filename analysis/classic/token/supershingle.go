package token

import (
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/classic"
	"github.com/neardup/bleve-neardup/analysis/internal/component"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

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

// hashBits is the number of a term's bits that hold the hash; the others hold the number of
// the group.
const hashBits = 56

func newSupershingle(values map[string]any, _ *registry.Cache) (analysis.TokenFilter, error) {
	r := component.New(Supershingle, values)
	p, plan := r.Params(), classic.DefaultPlan()
	plan.Need = 1 // not used
	plan.Groups = r.Int("groups", plan.Groups, 1, classic.MaxGroups)
	plan.Width = r.Int("group_width", plan.Width, 1, sketch.MaxLanes/plan.Groups)
	if n := plan.Groups * plan.Width; n > p.Lanes {
		r.Failf("lanes", "wanted at least %d for %d groups of %d, got %d", n, plan.Groups, plan.Width, p.Lanes)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return component.Filter(p, func(m *signature.Maker, size int) analysis.TokenStream {
		sig := m.Signature()
		features := classic.SupershinglesOf(plan, sig.Sketch, sig.Params).Features
		for i, feature := range features {
			features[i] = uint64(i)<<hashBits | feature&(1<<hashBits-1)
		}
		return component.Terms(features, size)
	})
}
