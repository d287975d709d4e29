package quoting

import (
	"context"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/contain"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Index is a Reader of an index that somebody else searches, each time in a snapshot of its own. It must be closed.
type Index struct {
	*Reader
	names   []string // of the local indexes
	readers []index.IndexReader
}

// Open returns an Index of a field of x, whose members must be local and have passages there.
func Open(ctx context.Context, x bleve.Index, field string, share float64) (own *Index, err error) {
	own = new(Index)
	var all []*contain.Snapshot
	for _, x := range indexes.Leaves(x) {
		_, reader, wrong := indexes.Reader(x)
		if wrong != nil {
			own.Close()
			return nil, fmt.Errorf("wanted local indexes, got one that cannot be read here: %w", wrong)
		}
		own.names, own.readers = append(own.names, x.Name()), append(own.readers, reader)
		s, wrong := contain.New(reader, x.Mapping(), field, 0)
		if wrong != nil {
			own.Close()
			return nil, wrong
		}
		all = append(all, s)
	}
	if own.Reader, err = New(ctx, share, all, own.locate); err != nil {
		own.Close()
		return nil, err
	}
	return own, nil
}

// Close lets go of the snapshots.
func (x *Index) Close() {
	for _, r := range x.readers {
		r.Close()
	}
}

// locate implements Locate. The number that the hit had in the snapshot of the search is mostly its number here.
func (x *Index) locate(hit *stored.Hit) (in int, doc uint64, ok bool) {
	for i, name := range x.names {
		if name != hit.Index && len(x.names) > 1 {
			continue
		}
		if len(hit.IndexInternalID) == 8 && x.has(i, hit.IndexInternalID.Value(), hit) {
			return i, hit.IndexInternalID.Value(), true
		}
		id, err := x.readers[i].InternalID(hit.ID)
		if err != nil {
			x.fail(err)
		} else if id != nil && x.has(i, id.Value(), hit) {
			return i, id.Value(), true
		}
	}
	return 0, 0, false
}

// has reports whether the document of that number has the signature of the hit. A signature that cannot be read is told by the search.
func (x *Index) has(in int, doc uint64, hit *stored.Hit) bool {
	sig, err := x.leaves[in].Signatures.Signature(doc)
	return err == nil && sig != nil && sig.Params == hit.Signature.Params && sig.Exact == hit.Signature.Exact
}

// Near yields the documents that hold a fingerprint of one of some heads, by the name of the index and the id.
func (x *Index) Near(heads []*stored.Hit, yield func(index, id string) bool) error {
	for _, hit := range heads {
		for i := range x.leaves {
			if more, err := x.near(i, hit, yield); err != nil || !more {
				return err
			}
		}
	}
	return nil
}

// near yields the documents of one index, and reports whether more are wanted.
func (x *Index) near(in int, hit *stored.Hit, yield func(index, id string) bool) (more bool, err error) {
	t, l := x.textOf(hit), &x.leaves[in]
	if t.leaf == nil {
		return true, nil
	}
	if _, err := t.inTemplate(0); err != nil {
		return false, err
	}
	found, err := l.Candidates(x.ctx, t.Text, l.most)
	if err != nil {
		return false, err
	}
	x.told.passed += found.Passed
	x.told.templates += found.Templates
	for _, doc := range found.Docs {
		id, err := x.readers[in].ExternalID(column.Number(doc))
		if err != nil || !yield(x.names[in], id) {
			return false, err
		}
	}
	return true, nil
}
