package groups

import (
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// heads has the heads that hits are compared with, and finds the group of a hit again: by its signature, or by its key.
// Groups have numbers, in the order of their heads; -1 stands for none.
type heads struct {
	values fields.Options
	rule   signature.Rule

	expected int // heads, as far as is known

	scopes map[uint32]*scope
	keys   map[uint32]*key
}

// scope has the heads of one scope. Hits of different scopes are no near-duplicates: what a lookup takes then depends
// on the heads of its scope alone, even if thousands of tenants have the same text.
type scope struct {
	table  *table.Table
	groups []int // by position in the table
}

// key has the heads of one key: the first, and how many they are.
type key struct{ first, n int }

// near returns the first group of a scope whose head is a near-duplicate by the rule, and that yes reports true for.
func (h *heads) near(of uint32, sig *signature.Signature, yes func(group int) bool) int {
	if s := h.scopes[of]; s != nil {
		for at := range s.table.Each(sig) {
			if group := s.groups[at]; yes(group) {
				return group
			}
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

// add makes the head of a group known, the next in order.
func (h *heads) add(group int, head *stored.Hit) {
	if head.Scope != fields.Apart && !h.values.Alone() {
		s := h.scope(head.Scope)
		s.table.Add(head.Signature)
		s.groups = append(s.groups, group)
	}
	if head.Key != fields.None {
		if h.keys[head.Key] == nil {
			h.keys[head.Key] = &key{first: group}
		}
		h.keys[head.Key].n++
	}
}

// scope returns the scope of that number.
func (h *heads) scope(of uint32) *scope {
	s := h.scopes[of]
	if s == nil {
		s = &scope{table: table.New(h.rule)}
		h.scopes[of] = s
		if len(h.values.Within) == 0 {
			s.table.Reserve(h.expected)
		}
	}
	return s
}

// begin forgets all heads, and makes room for n: no hit to come is near a head so far, or has its key.
func (h *heads) begin(n int) {
	if h.expected = n; len(h.scopes) > 1 {
		clear(h.scopes)
	}
	for _, s := range h.scopes { // whose memory is used again
		s.table.Reset()
		s.table.Reserve(n)
		s.groups = s.groups[:0]
	}
	clear(h.keys)
}
