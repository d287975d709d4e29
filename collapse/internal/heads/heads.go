// Package heads has the heads of groups, and finds the group of a hit again: by its signatures, by its key, or by what it lacks.
// Groups have numbers, in the order of their heads; -1 stands for none.
//
// Hits of different scopes are no near-duplicates, so each scope has tables of its own: what a lookup takes then depends on
// the heads of its scope alone, even if thousands of tenants have the same text.
package heads

import (
	"iter"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Heads has heads that hits are compared with.
type Heads struct {
	values fields.Options
	rules  []signature.Rule // by fingerprinted field

	all    scope // of all heads, unless values make scopes
	scopes map[uint32]*scope
	keys   map[uint32]*key
	bare   map[uint32]int // by scope, the group of the hits that lack what they would be grouped by
}

// scope has the heads of one scope.
type scope struct {
	tables []*table.Table // by fingerprinted field
	near   *near          // in place of the table of a single field, unless nil
	groups []int          // by position in the tables
}

// key has the heads of one key: the first, and how many they are.
type key struct{ first, n int }

// New returns Heads without any, to be compared by these rules, one for each fingerprinted field, and values.
func New(values fields.Options, rules []signature.Rule) Heads {
	h := Heads{values: values, rules: rules}
	h.all.tables = h.newTables()
	return h
}

func (h *Heads) newTables() []*table.Table {
	tables := make([]*table.Table, len(h.rules))
	for i, rule := range h.rules {
		tables[i] = table.New(rule)
	}
	return tables
}

// scope returns the scope of that number, nil if it has no heads.
func (h *Heads) scope(of uint32) *scope {
	switch {
	case of == fields.Apart:
		return nil
	case len(h.values.Within) == 0:
		return &h.all
	}
	return h.scopes[of]
}

// First returns the first group of a scope whose head is a near-duplicate by the rule of the first field.
func (h *Heads) First(scope uint32, sig *signature.Signature) int {
	s := h.scope(scope)
	if s == nil {
		return -1
	}
	at := -1
	if s.near != nil {
		at = s.near.First(sig)
	} else {
		at = s.tables[0].First(sig)
	}
	if at >= 0 {
		at = s.groups[at]
	}
	return at
}

// Each yields all groups of a scope whose head is a near-duplicate by the rule of a field, in their order. It must not be called
// after Reserve for First alone.
func (h *Heads) Each(scope uint32, field int, sig *signature.Signature) iter.Seq[int] {
	return func(yield func(int) bool) {
		s := h.scope(scope)
		if s == nil {
			return
		}
		for at := range s.tables[field].Each(sig) {
			if !yield(s.groups[at]) {
				return
			}
		}
	}
}

// Key returns the first group whose head has a key, if there are as many as may have it.
func (h *Heads) Key(key uint32) int {
	of := h.keys[key]
	if of == nil || h.values.Or && of.n < h.values.Most {
		return -1
	}
	return of.first
}

// Bare returns the group of the hits of a scope that lack what they would be grouped by.
func (h *Heads) Bare(scope uint32) int {
	if group, ok := h.bare[scope]; ok && scope != fields.Apart {
		return group
	}
	return -1
}

// Add makes the head of a group known, which comes after all others. bare says that Bare is to find it.
func (h *Heads) Add(head *stored.Hit, group int, bare bool) {
	if _, known := h.bare[head.Scope]; bare && !known {
		put(&h.bare, head.Scope, group)
	}
	if !h.values.Alone() && head.Scope != fields.Apart {
		s := h.scope(head.Scope)
		if s == nil {
			s = &scope{tables: h.newTables()}
			put(&h.scopes, head.Scope, s)
		}
		s.add(head, group)
	}
	if head.Key != fields.None {
		if h.keys[head.Key] == nil {
			put(&h.keys, head.Key, &key{first: group})
		}
		h.keys[head.Key].n++
	}
}

// put puts v into a map, which it makes if need be: most searches need none.
func put[V any](m *map[uint32]V, number uint32, v V) {
	if *m == nil {
		*m = make(map[uint32]V)
	}
	(*m)[number] = v
}

func (s *scope) add(head *stored.Hit, group int) {
	if s.near != nil && len(s.groups) == mostNear { // on the way to a distant page
		for _, sig := range s.near.all {
			s.tables[0].Add(sig)
		}
		s.release()
	}
	s.groups = append(s.groups, group)
	if s.near != nil {
		s.near.Add(head.Signature)
		return
	}
	for i, t := range s.tables {
		t.Add(head.In(i).Signature)
	}
}

// Begin forgets all heads but the bare ones, and makes room for n: no other hit is near one of them, or has its key.
func (h *Heads) Begin(n int) {
	for _, t := range h.all.tables {
		t.Reset()
		t.Reserve(n)
	}
	h.all.groups = h.all.groups[:0]
	clear(h.scopes)
	clear(h.keys)
}

// Reserve makes room for n heads, in whatever is best for as many. first says that nothing but First will be called for
// signatures. Release must be called after it.
func (h *Heads) Reserve(n int, first bool) {
	if first && len(h.all.groups) == 0 && len(h.values.Within) == 0 && !h.values.Alone() {
		h.all.near = newNear(h.rules[0], n)
	}
	n = min(n, mostNear) // no larger pages are expected
	h.all.groups = slices.Grow(h.all.groups, n)
	if h.all.near == nil {
		for _, t := range h.all.tables {
			t.Reserve(n)
		}
	}
}

// Release gives memory back.
func (h *Heads) Release() { h.all.release() }

func (s *scope) release() {
	if s.near != nil {
		s.near.release()
		s.near = nil
	}
}
