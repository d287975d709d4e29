package signing

import (
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/blevesearch/bleve/v2/document"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// Describe fills in what a gate must know of the documents under a policy, on all processors. marked says that
// there are marks.
func Describe(p *admission.Policy, docs []*gate.Document, marked bool) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(docs)) {
		wait.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(docs)); i = next.Add(1) - 1 {
				if d, ok := docs[i].Document.(*Document); ok {
					d.describe(p, docs[i], marked)
				}
			}
		})
	}
	wait.Wait()
}

// describe makes the signature of d for what a gate must know, and reads the scope, the time, and what floods count.
func (d *Document) describe(p *admission.Policy, known *gate.Document, marked bool) {
	if s := d.sources[gate.FieldOf(p)]; s != nil {
		s.figures.Repetition = s.figures.Repetition || p.Repetition != nil
		s.figures.Hidden = s.figures.Hidden || p.Hidden != nil
		s.make()
		known.Rule = s.analyzer.Rule()
		known.Signature, known.Repetition, known.Words = &s.Signature, s.Repetition, s.Words
		if marked && s.Left > 0 {
			known.Whole = s.whole()
		}
	}
	for _, f := range d.Document.Fields {
		if at, ok := f.(*document.DateTimeField); ok && p.Time != "" && f.Name() == p.Time {
			if t, _, err := at.DateTime(); err == nil {
				known.Time = t
			}
		}
	}
	if p.Scope != "" {
		terms := d.terms(p.Scope)
		known.Scope, known.Unscoped = column.ScopeOf(terms...), len(terms) == 0
	}
	for _, name := range gate.FloodFields(p) {
		if known.Values == nil {
			known.Values = map[string]uint64{}
		}
		known.Values[name] = column.ScopeOf(d.terms(name)...)
	}
}

// whole returns the signature with the template that s leaves out.
func (s *source) whole() *signature.Signature {
	made := must(s.analyzer.SignWith(neardup.Figures{}, nil, s.values...))
	return &made.Signature
}

// terms returns the terms of a field.
func (d *Document) terms(name string) (terms []string) {
	for _, f := range d.Document.Fields {
		if f.Name() == name && f.Options().IsIndexed() {
			f.Analyze()
			terms = slices.AppendSeq(terms, maps.Keys(f.AnalyzedTokenFrequencies()))
		}
	}
	return terms
}
