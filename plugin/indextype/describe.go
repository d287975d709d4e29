package indextype

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/blevesearch/bleve/v2/document"

	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// describe fills in what a gate must know of the documents, on all processors.
func describe(p *admission.Policy, docs []*gate.Document) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(docs)) {
		wait.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(docs)); i = next.Add(1) - 1 {
				d := docs[i]
				s, ok := d.Document.(*signed)
				if !ok {
					continue
				}
				if own := s.sources[p.FieldName()]; own != nil {
					own.figures.Repetition = own.figures.Repetition || p.Repetition != nil
					own.figures.Hidden = own.figures.Hidden || p.Hidden != nil
					own.make()
					d.Rule = own.analyzer.Rule()
					d.Signature, d.Repetition, d.Words = &own.sig, own.repetition, own.words
				}
				s.describe(p, d)
			}
		})
	}
	wait.Wait()
}

// describe reads the scope, the time, and what floods count of a document.
func (s *signed) describe(p *admission.Policy, d *gate.Document) {
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
func (s *signed) value(name string) uint64 {
	terms := map[string]bool{}
	for _, f := range s.Document.Fields {
		if f.Name() == name && f.Options().IsIndexed() {
			f.Analyze()
			for term := range f.AnalyzedTokenFrequencies() {
				terms[term] = true
			}
		}
	}
	var all [][]byte
	for term := range terms {
		all = append(all, []byte(term))
	}
	return column.ScopeOf(all...)
}
