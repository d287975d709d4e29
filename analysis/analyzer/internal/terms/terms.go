// Package terms makes the terms that an analyzer of type neardup emits: see [Terms].
package terms

import (
	"cmp"

	"github.com/blevesearch/bleve/v2/analysis"

	"github.com/neardup/bleve-neardup/analysis/internal/config"
	"github.com/neardup/bleve-neardup/analysis/internal/filter"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/token/band"
	"github.com/neardup/bleve-neardup/analysis/token/shingle"
)

// The values of "terms".
const (
	bands    = "bands"
	all      = "all"
	mod      = "mod"
	bottom   = "bottom"
	passages = "passages"
	none     = "none"
)

// Terms says which terms are emitted.
type Terms struct {
	kind   string // "" if not configured
	sample shingle.Sample
	plan   band.Plan

	// Passages says that what is selected of passages becomes terms, too.
	Passages bool
}

// Read reads which terms are emitted: of one kind, and what is selected of passages. p are the parameters of the
// signatures, and rule is their rule.
func Read(r *config.Reader, p signature.Params, rule signature.Rule) (t Terms) {
	for _, name := range r.Choices("terms", bands, all, mod, bottom, passages, none) {
		switch {
		case name == passages:
			t.Passages = true
		case t.kind != "":
			r.Failf("terms", "wanted one of them, with or without %q, got %q and %q", passages, t.kind, name)
		default:
			t.kind = name
		}
	}
	if t.Passages {
		t.kind = cmp.Or(t.kind, none)
		if p.Passages == 0 {
			r.Failf("terms", "%q needs the option \"passages\", which says how many words a passage has", passages)
		}
	}
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
	var selected analysis.TokenStream
	if t.Passages {
		selected = filter.Terms(m.Passages().Values, size)
	}
	sig = m.Signature()
	if kind == bands {
		stream = t.plan.Terms(&sig, size)
	}
	for _, term := range selected {
		term.Position += len(stream)
	}
	return append(stream, selected...), sig
}

// Bands returns the plan of the candidate keys that are emitted on a plain index or on an index of type
// neardup. ok is false if none are.
func (t *Terms) Bands(plain bool) (plan band.Plan, ok bool) { return t.plan, t.in(plain) == bands }
