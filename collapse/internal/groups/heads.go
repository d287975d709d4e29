package groups

import (
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// heads has the heads that hits are compared with, and finds the group of a hit again: by its signature, by its key, or
// by what it lacks. Groups have numbers, in the order of their heads; -1 stands for none.
//
// Hits of different scopes are no near-duplicates, so each scope has a table of its own: what a lookup takes then
// depends on the heads of its scope alone, even if thousands of tenants have the same text.
type heads struct {
	values fields.Options
	rule   signature.Rule

	n        int  // groups, whose heads were added
	expected int  // heads, as far as is known
	firsts   bool // nothing but first is called for signatures

	all    *scope // of all heads, unless values make scopes; nil before the first
	scopes map[uint32]*scope
	keys   map[uint32]*key
	bare   map[uint32]int // by scope, the group of the hits that lack what they would be grouped by
}

// scope has the heads of one scope.
type scope struct {
	table  *table.Table
	near   *near // in place of the table, unless nil
	base   int   // the group at the first position, if groups is nil: the others follow in turn
	groups []int // by position
}

// key has the heads of one key: the first, and how many they are.
type key struct{ first, n int }

// group returns the group at a position.
func (s *scope) group(position int) int {
	if s.groups == nil {
		return s.base + position
	}
	return s.groups[position]
}

// scope returns the scope of that number, nil if it has no heads.
func (h *heads) scope(of uint32) *scope {
	switch {
	case of == fields.Apart:
		return nil
	case len(h.values.Within) == 0:
		return h.all
	}
	return h.scopes[of]
}

// first returns the first group of a scope whose head is a near-duplicate by the rule.
func (h *heads) first(scope uint32, sig *signature.Signature) int {
	s := h.scope(scope)
	if s == nil {
		return -1
	}
	at := -1
	if s.near != nil {
		at = s.near.First(sig)
	} else {
		at = s.table.First(sig)
	}
	if at >= 0 {
		at = s.group(at)
	}
	return at
}

// firstIf returns the first group of a scope whose head is a near-duplicate by the rule, and that yes reports true for.
// It must not be called after reserve for first alone.
func (h *heads) firstIf(scope uint32, sig *signature.Signature, yes func(group int) bool) int {
	s := h.scope(scope)
	if s == nil {
		return -1
	}
	for at := range s.table.Each(sig) {
		if group := s.group(at); yes(group) {
			return group
		}
	}
	return -1
}

// withKey returns the first group whose head has a key, if as many heads have it as may.
func (h *heads) withKey(key uint32) int {
	of := h.keys[key]
	if of == nil || h.values.Or && of.n < h.values.Most {
		return -1
	}
	return of.first
}

// withNothing returns the group of the hits of a scope that lack what they would be grouped by.
func (h *heads) withNothing(scope uint32) int {
	if group, ok := h.bare[scope]; ok && scope != fields.Apart {
		return group
	}
	return -1
}

// add makes the head of the next group known. bare says that withNothing is to find it.
func (h *heads) add(head *stored.Hit, bare bool) {
	group := h.n
	h.n++
	if bare && h.withNothing(head.Scope) < 0 {
		put(&h.bare, head.Scope, group)
	}
	switch {
	case h.values.Alone():
	case len(h.values.Within) == 0:
		if h.all == nil {
			h.all = h.newAll()
		}
		h.all.add(head)
	case head.Scope != fields.Apart:
		s := h.scopes[head.Scope]
		if s == nil {
			s = &scope{table: table.New(h.rule)}
			put(&h.scopes, head.Scope, s)
		}
		s.groups = append(s.groups, group)
		s.add(head)
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

// add adds a head at the next position.
func (s *scope) add(head *stored.Hit) {
	if s.near != nil && len(s.near.all) == mostNear { // on the way to a distant page
		s.table = table.New(s.near.rule)
		for _, sig := range s.near.all {
			s.table.Add(sig)
		}
		s.release()
	}
	if s.near != nil {
		s.near.Add(head.Signature)
		return
	}
	s.table.Add(head.Signature)
}

// begin forgets all heads but what withNothing returns, and makes room for n: no hit to come is near a head so far, or has
// its key. It must not be called after reserve.
func (h *heads) begin(n int) {
	if h.all == nil {
		h.all = &scope{table: table.New(h.rule)}
	}
	h.all.table.Reset()
	h.all.table.Reserve(n)
	h.all.base = h.n
	clear(h.scopes)
	clear(h.keys)
}

// reserve says that n heads are expected, before the first: they come into whatever is best for as many. firsts says
// that nothing but first will be called for signatures. release must be called after it.
func (h *heads) reserve(n int, firsts bool) { h.expected, h.firsts = n, firsts }

// newAll returns a scope for all heads.
func (h *heads) newAll() *scope {
	if h.firsts {
		if near := newNear(h.rule, h.expected); near != nil {
			return &scope{near: near}
		}
	}
	s := &scope{table: table.New(h.rule)}
	s.table.Reserve(min(h.expected, mostNear)) // no larger pages are expected
	return s
}

// release gives memory back.
func (h *heads) release() {
	if h.all != nil {
		h.all.release()
	}
}

func (s *scope) release() {
	if s.near != nil {
		s.near.release()
		s.near = nil
	}
}
