package grouping

import (
	"github.com/neardup/bleve-neardup/internal/contain"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Quotes finds the heads that stand in a hit, or in which it stands.
type Quotes interface {
	// Begin forgets all heads: no other hit shares anything with one of them.
	Begin()

	// Add makes the head of the group with that number known.
	Add(head *stored.Hit, group int)

	// First returns the first group of the hit's scope whose head stands in the hit, or contains it; -1 if there is none.
	First(hit *stored.Hit) int

	// Compare says how much of a hit stands in a head, and how much of that in the hit. ok is false if that is
	// too little both ways for one group.
	Compare(head, hit *stored.Hit) (s contain.Shares, ok bool)
}

// quoted returns the first head in a hit's scope that one of the two contains the other of, or -1.
func (w *Walk) quoted(hit *stored.Hit) int {
	if w.Quotes == nil || hit.Err != nil || hit.Scope == fields.Apart {
		return -1
	}
	return w.Quotes.First(hit)
}
