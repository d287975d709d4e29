package neardup

import (
	"cmp"

	"github.com/blevesearch/bleve/v2/analysis"

	"github.com/neardup/bleve-neardup/analysis/internal/component"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/token"
)

// The values of "terms".
const (
	bandTerms   = "bands"
	allTerms    = "all"
	modTerms    = "mod"
	bottomTerms = "bottom"
	noTerms     = "none"
)

// terms says which terms are emitted.
type terms struct {
	kind   string // "" if not configured
	sample token.Sample
	plan   token.Plan
}

// readTerms reads which terms are emitted. p are the parameters of the
// signatures, and rule is their rule.
func readTerms(r *component.Reader, p signature.Params, rule signature.Rule) (t terms) {
	t.kind = component.Choice(r, "terms", "", bandTerms, allTerms, modTerms, bottomTerms, noTerms)
	t.sample = token.ReadSample(r, t.kind)
	t.plan = token.ReadPlan(r, p.Lanes, rule)
	return t
}

// in is the kind of terms on a plain index, or on an index of type neardup.
func (t *terms) in(plain bool) string {
	if plain {
		return cmp.Or(t.kind, bandTerms)
	}
	return t.kind
}

// finish returns the signature of the document that was added to m, and its terms on a plain index or on an
// index of type neardup. size is that of the text, in bytes.
func (t *terms) finish(m *signature.Maker, plain bool, size int) (stream analysis.TokenStream, sig signature.Signature) {
	kind := t.in(plain)
	switch kind {
	case allTerms, modTerms, bottomTerms:
		stream = t.sample.Terms(m.Shingles(), size)
	}
	sig = m.Signature()
	if kind == bandTerms {
		stream = t.plan.Terms(&sig, size)
	}
	return stream, sig
}
