package near

import (
	"context"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// named is a document that a query names by its id.
type named struct {
	hit    *search.DocumentMatch
	values fields.Values // of the fields of Within
}

// find finds the document of an id, with the stored fields load, in one of the indexes that x is an alias of. Its
// values in the fields within are those that a local index has indexed, and that another has stored.
func find(ctx context.Context, x bleve.Index, id string, within []string, load ...string) (n named, err error) {
	s := bleve.NewSearchRequest(query.NewDocIDQuery([]string{id}))
	s.Fields = slices.Concat(load, within)
	res, err := x.SearchInContext(ctx, s)
	if err != nil {
		return n, err
	}
	switch {
	case len(res.Hits) == 0 && res.Status.Failed > 0:
		err = failure(res.Status)
	case len(res.Hits) == 0:
		err = ErrNotFound
	case len(res.Hits) > 1:
		err = fmt.Errorf("wanted it in one member of the alias, got it in %q and %q; give the signature or the text instead",
			res.Hits[0].Index, res.Hits[1].Index)
	default:
		n.hit = res.Hits[0]
		if len(within) > 0 {
			n.values = fields.OfHit(n.hit.Fields, within)
			err = n.local(x, func(r index.IndexReader, own index.IndexInternalID) (err error) {
				n.values, err = fields.Of(r, within, own)
				return err
			})
		}
	}
	if err != nil {
		return n, fmt.Errorf("near: id %q: %w", id, err)
	}
	return n, nil
}

// local calls f with a snapshot of the index that has the document, and its number there. It does nothing if that is in
// another process.
func (n named) local(x bleve.Index, f func(index.IndexReader, index.IndexInternalID) error) error {
	for _, leaf := range indexes.Leaves(x) {
		if leaf.Name() != n.hit.Index {
			continue
		}
		if _, err := leaf.Advanced(); err != nil {
			continue
		}
		r, err := indexes.Reader(leaf)
		if err != nil {
			return err
		}
		defer r.Close()
		own, err := r.InternalID(n.hit.ID)
		if err == nil && own != nil { // else another index of that name
			err = f(r, own)
		}
		if err != nil || own != nil {
			return err
		}
	}
	return nil
}

// equalTo returns a function that reports whether a document of a snapshot is equal in the fields within to the
// document of an id. values are what that has there; if they are nil, it is own in the snapshot.
func equalTo(r index.IndexReader, id string, within []string, values fields.Values, own index.IndexInternalID) (
	func(doc uint64) (bool, error), error,
) {
	if len(within) > 0 && values == nil {
		if own == nil {
			return nil, fmt.Errorf("near: query: within: id %q: %w", id, ErrNotFound)
		}
		var err error
		if values, err = fields.Of(r, within, own); err != nil {
			return nil, err
		}
	}
	same, err := fields.EqualTo(r, within, values)
	if err != nil {
		return nil, fmt.Errorf("near: query: within: %w", err)
	}
	return same, nil
}
