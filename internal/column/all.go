package column

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// All has the signatures of all documents of snapshots in memory: 128 bytes each
// with 100 lanes.
type All struct {
	columns []*table.Column
	deleted []*roaring.Bitmap
	ends    []int // of the columns' document numbers
}

// All reads the signatures that are not in memory, on all processors. They stay there
// for searches as long as the Stores have places for all of a snapshot; else
// they go with what All returns. progress, which may be nil, is called with how many
// documents more are done, never twice at a time. All fails with ctx. Documents
// whose signature is damaged have none.
func (readers Readers) All(ctx context.Context, progress func(documents int)) (*All, error) {
	a := new(All)
	end := 0
	for _, r := range readers {
		r.store.makeDense(false, r.columns...)
		for i, c := range r.columns {
			col := c.Column
			if !c.dense.Load() {
				col = table.NewColumn(c.Len())
			}
			if err := r.load(ctx, i, col, progress); err != nil {
				return nil, err
			}
			end += c.Len()
			a.columns, a.ends, a.deleted = append(a.columns, col), append(a.ends, end), append(a.deleted, r.segments[i].Deleted())
		}
	}
	return a, nil
}

// Len is the number of documents, with those that are deleted.
func (a *All) Len() int {
	if len(a.ends) == 0 {
		return 0
	}
	return a.ends[len(a.ends)-1]
}

// At returns the signature of the document of that number, and false if there is
// none. Its sketch is shared: it must not be changed. At panics if doc is not from 0 to Len-1.
func (a *All) At(doc int) (signature.Signature, bool) {
	i := 0
	for doc >= a.ends[i] { // there are few segments, and most documents are in the first
		i++
	}
	if i > 0 {
		doc -= a.ends[i-1]
	}
	if d := a.deleted[i]; d != nil && d.ContainsInt(doc) {
		return signature.Signature{}, false
	}
	return a.columns[i].At(doc)
}

// Len is the number of documents of the snapshot, with those that are deleted.
func (r *Reader) Len() int {
	if len(r.ends) == 0 {
		return 0
	}
	return int(r.ends[len(r.ends)-1])
}
