package collapse

import (
	"github.com/neardup/bleve-neardup/collapse/internal/paging"
	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
)

// Cursor is a place between two pages. It is plain data: it may be sent to the user as JSON and come back in another
// process; what is not UTF-8 in keys and ids is {"base64": "..."} there. It holds the sort key of the last hit that the
// pages before took, and names the heads they showed, so that copies of those stay hidden; their signatures are read
// from the index again. A cursor takes at most 2 KB of JSON beside its sort key: where the heads would take more, it
// names none, and the next page walks the hits from the top again.
//
// Pages may be asked for while documents come and go. A document that is there all the time and keeps its rank is shown
// or listed exactly once. One that is added before the place of the cursor is not shown, and copies of a head that was
// deleted since, or that the query matches no more, are no longer hidden by it. So a forged cursor tells nothing of
// documents that the query keeps from a client.
type Cursor struct {
	// After is the sort key of the last hit taken, with "_id" as the last part; empty where bleve cannot continue
	// from a key (score fusion), and then Taken counts.
	After []string `json:"after,omitempty"`

	// Index is the index of that hit, if there are several: two members of an alias can have the same id.
	Index string `json:"index,omitempty"`

	// Taken is the number of hits that the pages before took.
	Taken int `json:"taken"`

	// Heads are the heads that the pages before showed, in rank order. Their Index is left out if it is
	// the one above, or all are of one. There are none if they would take too many bytes.
	Heads []Ref `json:"heads"`

	// Shown is how many hits of each head's group the pages before showed; left out if it is 1 for all.
	Shown []int `json:"shown,omitempty"`
}

// paging returns c as a page takes it, nil for nil.
func (c *Cursor) paging() *paging.Cursor {
	if c == nil {
		return nil
	}
	of := &paging.Cursor{After: c.After, Index: c.Index, Taken: c.Taken, Shown: c.Shown}
	if c.Heads != nil {
		of.Heads = make([]ranking.Place, 0, len(c.Heads))
	}
	for _, ref := range c.Heads {
		of.Heads = append(of.Heads, ranking.Place(ref))
	}
	return of
}

// cursorOf is the inverse of paging.
func cursorOf(of *paging.Cursor) *Cursor {
	if of == nil {
		return nil
	}
	c := &Cursor{After: of.After, Index: of.Index, Taken: of.Taken, Shown: of.Shown, Heads: make([]Ref, len(of.Heads))}
	for i, place := range of.Heads {
		c.Heads[i] = Ref(place)
	}
	return c
}
