package collapse

import (
	"fmt"

	"github.com/neardup/bleve-neardup/internal/indexes"
)

// Cursor is the place where a page ended, and the next one begins. It is plain data that may come back as JSON in
// another process, which sort keys that are not UTF-8 do not survive: writing them is an error. It tells no more than
// the pages showed.
//
// Pages may be asked for while documents come and go. A loop over pages ends: by a cursor that is nil, after as many
// hits as there were at first and as were written since, or twice as many by score. In an order of fields, a document
// that is not written meanwhile is shown or listed exactly once. By score some are shown twice or never, as with
// bleve's own search_after, since scores move as documents are written: sort by a field if each document counts. A
// document that is added before the place is not shown, and copies of a head that was deleted since are shown.
type Cursor struct {
	// After is the sort key of the last hit taken, as bleve sorts by it, with "_id" as the last part; empty with score
	// fusion, where hits have none.
	After []string `json:"after,omitempty"`

	// Index is the index of that hit, if there are several: two members of an alias can have the same id.
	Index string `json:"index,omitempty"`

	// Taken is the number of hits up to the place.
	Taken int `json:"taken"`

	// Left is the number of hits after it, where they come by score.
	Left uint64 `json:"left,omitempty"`
}

// check returns an error for what no page has taken.
func (c *Cursor) check() error {
	if c != nil && (c.Taken < 0 || c.Taken > indexes.MostHits) {
		return fmt.Errorf("collapse: cursor: taken: wanted 0 to %d, got %d", indexes.MostHits, c.Taken)
	}
	return nil
}
