package signing

import (
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/blevesearch/bleve/v2/document"

	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/contain"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// Describe fills in what a gate must know of the documents, on all processors.
func Describe(p *admission.Policy, docs []*gate.Document) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(docs)) {
		wait.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(docs)); i = next.Add(1) - 1 {
				d := docs[i]
				s, ok := d.Document.(*Document)
				if !ok {
					continue
				}
				if own := s.sources[p.FieldName()]; own != nil {
					own.figures.Repetition = own.figures.Repetition || p.Repetition != nil
					own.figures.Hidden = own.figures.Hidden || p.Hidden != nil
					own.make()
					d.Rule = own.analyzer.Rule()
					d.Signature, d.Repetition, d.Words = &own.sig, own.repetition, own.words
					if p.Contained != nil {
						d.Passages, d.Followed = own.passages, own.followed(p.Contained.MaxShare)
					}
				}
				s.describe(p, d)
			}
		})
	}
	wait.Wait()
}

// followed returns the values of s.passages by which a policy looks up what a document stands in: not those that stand in
// a template alone, unless there is no guard.
func (s *source) followed(maxShare float64) []uint64 {
	if s.left == 0 || maxShare >= 1 {
		return s.passages.Values
	}
	outside, err := contain.Outside(s.analyzer, s.without, s.values)
	if err != nil {
		panic(err) // newDocument has asked whether the analyzer takes it
	}
	return slices.DeleteFunc(slices.Clone(s.passages.Values), func(v uint64) bool { return !outside[v] })
}

// describe reads the scope, the time, and what floods count of a document.
func (s *Document) describe(p *admission.Policy, d *gate.Document) {
	for _, f := range s.Document.Fields {
		if at, ok := f.(*document.DateTimeField); ok && p.Time != "" && f.Name() == p.Time {
			if t, _, err := at.DateTime(); err == nil {
				d.Time = t
			}
		}
	}
	if p.Scope != "" {
		d.Scope = s.value(p.Scope)
	}
	for _, name := range p.FloodFields() {
		if d.Values == nil {
			d.Values = map[string]uint64{}
		}
		d.Values[name] = s.value(name)
	}
}

// value returns one number for the terms of a field, as column.ScopeOf makes it.
func (s *Document) value(name string) uint64 {
	var terms []string
	for _, f := range s.Document.Fields {
		if f.Name() == name && f.Options().IsIndexed() {
			f.Analyze()
			terms = slices.AppendSeq(terms, maps.Keys(f.AnalyzedTokenFrequencies()))
		}
	}
	return column.ScopeOf(terms...)
}
