// Package terms makes the terms that an analyzer of type neardup emits: see [Terms].
package terms

import (
	"cmp"

	"github.com/blevesearch/bleve/v2/analysis"

	"github.com/neardup/bleve-neardup/analysis/internal/config"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/token/band"
	"github.com/neardup/bleve-neardup/analysis/token/shingle"
)

// The values of "terms".
const (
	bands  = "bands"
	all    = "all"
	mod    = "mod"
	bottom = "bottom"
	none   = "none"
)

// Terms says which terms are emitted.
type Terms struct {
	kind   string // "" if not configured
	sample shingle.Sample
	plan   band.Plan
}

// Read reads which terms are emitted. p are the parameters of the
// signatures, and rule is their rule.
func Read(r *config.Reader, p signature.Params, rule signature.Rule) (t Terms) {
	t.kind = r.Choice("terms", "", bands, all, mod, bottom, none)
	t.sample = shingle.ReadSample(r, t.kind)
	t.plan = band.ReadPlanFor(r, p.Lanes, rule)
	return t
}

// in is the kind of terms on a plain index, or on an index of type neardup.
func (t *Terms) in(plain bool) string {
	if plain {
		return cmp.Or(t.kind, bands)
	}
	return t.kind
}

// Finish returns the signature of the document that was added to m, and its terms on a plain index or on an
// index of type neardup. size is that of the text, in bytes.
func (t *Terms) Finish(m *signature.Maker, plain bool, size int) (stream analysis.TokenStream, sig signature.Signature) {
	kind := t.in(plain)
	switch kind {
	case all, mod, bottom:
		stream = t.sample.Terms(m.Shingles(), size)
	}
	sig = m.Signature()
	if kind == bands {
		stream = t.plan.Terms(&sig, size)
	}
	return stream, sig
}

// Bands returns the plan of the candidate keys that are emitted on a plain index or on an index of type
// neardup. ok is false if none are.
func (t *Terms) Bands(plain bool) (plan band.Plan, ok bool) { return t.plan, t.in(plain) == bands }
