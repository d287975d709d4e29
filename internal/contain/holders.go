package contain

import (
	"context"
	"fmt"
	"slices"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
	"github.com/neardup/bleve-neardup/internal/column"
)

// Backend says where fingerprints are looked up.
type Backend string

// The back ends.
const (
	Memory Backend = "memory" // tables in memory
	Terms  Backend = "terms"  // terms of the field
)

// Use makes a snapshot look up where b says: that is where the field has its terms, or else in memory, if b is empty.
func (s *Snapshot) Use(b Backend, field string) error {
	switch {
	case b == "":
		return nil
	case b == Terms && s.backend != Terms:
		return fmt.Errorf(`backend %q: wanted field %q to have the analyzer option "terms": "passages", got none or others`, b, field)
	}
	s.backend = b
	return nil
}

// Damaged returns how many documents have fingerprints that cannot be read: all of them once there were lookups in
// memory, and by terms the ones that were met.
func (s *Snapshot) Damaged() int {
	if m, ok := s.holders.(*inMemory); ok {
		return m.all.Damaged
	}
	return len(s.damaged)
}

// load makes lookups of what is selected by some parameters possible.
func (s *Snapshot) load(ctx context.Context, params uint32) error {
	if want := s.Analyzer.Params().ID(); params != want {
		return fmt.Errorf("wanted what is selected by parameters %#x, got %#x", want, params)
	}
	if s.holders != nil {
		return nil
	}
	if s.backend == Terms {
		p, err := s.Signatures.Postings()
		if err == nil {
			s.holders = &byTerms{s.Analyzer, p}
		}
		return err
	}
	p, err := s.Signatures.Passages(ctx, params)
	if err == nil {
		s.holders = &inMemory{all: p}
	}
	return err
}

// holders finds the documents that hold a fingerprint.
type holders interface {
	// open finds the documents that hold a value, and returns how many these are, with those that are deleted.
	open(value uint64) (count int, err error)

	// docs appends their numbers to dst, without those that are deleted. An index might have nested documents: of these
	// it is the one that carries the terms.
	docs(dst []uint64) ([]uint64, error)
}

type inMemory struct {
	all   *column.Passages
	value uint64
}

func (m *inMemory) open(value uint64) (int, error) {
	m.value = value
	return m.all.Count(value), nil
}

func (m *inMemory) docs(dst []uint64) ([]uint64, error) {
	m.all.Documents(m.value, func(doc uint64) bool {
		dst = append(dst, doc)
		return true
	})
	return dst, nil
}

type byTerms struct {
	analyzer *neardup.Analyzer
	postings *column.Postings
}

func (t *byTerms) open(value uint64) (int, error) {
	terms, _ := t.analyzer.PassageTerms(winnow.Prints{Values: []uint64{value}})
	n, err := t.postings.Open(terms[0].Term, false)
	return int(n), err
}

func (t *byTerms) docs(dst []uint64) ([]uint64, error) {
	err := t.postings.Each(func(docs []uint64) error {
		dst = append(dst, docs...)
		return nil
	})
	return dst, err
}

// roots puts the outermost documents in place of nested ones, which carry the terms if they have the first value: what is selected
// and the signature belong to the outermost. docs are sorted.
func (s *Snapshot) roots(docs []uint64) ([]uint64, error) {
	nested, ok := s.reader.(index.NestedReader)
	if !ok {
		return docs, nil
	}
	changed := false
	for i, doc := range docs {
		if sig, err := s.Signatures.Signature(doc); sig != nil || err != nil {
			continue
		}
		chain, err := nested.Ancestors(column.Number(doc), nil)
		if err != nil {
			return nil, err
		}
		if len(chain) > 1 {
			docs[i], changed = chain[len(chain)-1].ToIndexInternalID(nil).Value(), true
		}
	}
	if changed {
		slices.Sort(docs)
		docs = slices.Compact(docs)
	}
	return docs, nil
}
