package grouping

import (
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Hits of different scopes are no near-duplicates, so each scope has a table of its own: what a
// lookup takes then depends on the heads of its scope alone, even if thousands of tenants have
// the same text.

// scope has the heads of one scope.
type scope struct {
	table *table.Table
	more  []*table.Table // of further fields
	heads []int          // by position in the table
}

// heads has the heads of one key: the first, and how many they are.
type heads struct{ first, n int }

// inScope returns the first head of hit's scope that it is a near-duplicate of, or -1.
func (w *Walk) inScope(hit stored.Hit) int {
	of := w.scopes[hit.Scope]
	if of == nil || hit.Scope == fields.Apart {
		return -1
	}
	if len(w.More) > 0 {
		return w.severalIn(of, &hit)
	}
	if w.Judge != nil {
		return w.confirmed(of.table, hit, func(at int) int { return of.heads[at] })
	}
	at := of.table.First(hit.Signature)
	if at >= 0 {
		at = of.heads[at]
	}
	return at
}

// keyHead returns the first head with a key if that has as many as it may, or -1.
func (w *Walk) keyHead(key uint32) int {
	of := w.keys[key]
	if of == nil || w.Fields.Or && of.n < w.Fields.Most {
		return -1
	}
	return of.first
}

// bareHead returns the head of the hits of a scope that lack what they would be grouped by, or
// -1.
func (w *Walk) bareHead(scope uint32) int {
	if at, ok := w.bare[scope]; ok && scope != fields.Apart {
		return at
	}
	return -1
}

// addValues makes the next group's head known by its values.
func (w *Walk) addValues(head *stored.Hit, missing bool) {
	at := len(w.Groups)
	if _, known := w.bare[head.Scope]; missing && w.Missing == Together && !known {
		if w.bare == nil {
			w.bare = make(map[uint32]int)
		}
		w.bare[head.Scope] = at
	}
	if w.scoped() && !w.Fields.Alone() && head.Scope != fields.Apart {
		w.addScope(head, at)
	}
	if head.Key != fields.None {
		w.addKey(head.Key, at)
	}
}

func (w *Walk) addKey(key uint32, at int) {
	if w.keys == nil {
		w.keys = make(map[uint32]*heads)
	}
	if w.keys[key] == nil {
		w.keys[key] = &heads{first: at}
	}
	w.keys[key].n++
}

func (w *Walk) addScope(head *stored.Hit, at int) {
	if w.scopes == nil {
		w.scopes = make(map[uint32]*scope)
	}
	of := w.scopes[head.Scope]
	if of == nil {
		of = &scope{table: table.New(w.Rule)}
		for _, f := range w.More {
			of.more = append(of.more, table.New(f.Rule))
		}
		w.scopes[head.Scope] = of
	}
	of.table.Add(head.Signature)
	for i, t := range of.more {
		one := head.In(i + 1)
		t.Add(one.Signature)
	}
	of.heads = append(of.heads, at)
}
