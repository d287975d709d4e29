package templates

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
)

// InForce is what an index leaves out of signatures: the Sets of each field. The zero InForce leaves
// nothing out.
type InForce struct {
	fields atomic.Pointer[map[string]*Sets] // not changed once it is here
}

// All returns the templates in force, by field.
func (l *InForce) All() map[string]*Sets {
	if fields := l.fields.Load(); fields != nil {
		return *fields
	}
	return nil
}

// Put puts sets in force, or none if they are nil. The caller must be alone.
func (l *InForce) Put(field string, sets *Sets) {
	fields := maps.Clone(l.All())
	if fields == nil {
		fields = map[string]*Sets{}
	}
	if fields[field] = sets; sets == nil {
		delete(fields, field)
	}
	l.fields.Store(&fields)
}

// Open puts in force what the internal values of an index say.
func (l *InForce) Open(internal map[string][]byte) error {
	for _, key := range slices.Sorted(maps.Keys(internal)) {
		field, ok := strings.CutPrefix(key, Prefix)
		if !ok {
			continue
		}
		sets, err := Parse(internal[key])
		if err != nil {
			return fmt.Errorf("neardup: field %q: kept in the index: %w", field, err)
		}
		l.Put(field, sets)
	}
	return nil
}

// Fits returns an error if the mapping m does not sign fields so that what is in force can be left out: new
// signatures would match nothing of what is there.
func (l *InForce) Fits(m *mapping.IndexMappingImpl) error {
	all := l.All()
	for _, field := range slices.Sorted(maps.Keys(all)) {
		if err := Fits(m, field, all[field]); err != nil {
			return err
		}
	}
	return nil
}

// Fits returns an error if the mapping m does not sign a field so that sets can be left out.
func Fits(m mapping.IndexMapping, field string, sets *Sets) error {
	a, err := neardup.Of(m, field)
	if err == nil {
		err = sets.Fits(a)
	}
	if err != nil {
		return fmt.Errorf("neardup: templates of field %q: %w", field, err)
	}
	return nil
}
