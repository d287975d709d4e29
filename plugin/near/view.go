package near

import (
	"context"
	"fmt"
	"sort"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// view is what one iteration sees: a snapshot of each index. Its documents have the
// numbers of the snapshots, one after the other.
type view struct {
	snapshots  []*snapshot
	signatures column.Readers
	all        *column.All
	ends       []int // of the snapshots' document numbers
}

// snapshot is one of an index.
type snapshot struct {
	index.IndexReader
	name    string
	mapping mapping.IndexMapping
	texts   *verify.Snapshot     // nil unless texts decide
	values  index.DocValueReader // of the fields to order by
}

// open takes the snapshots. It returns an error if one of the indexes is not of type
// neardup.
func open(x bleve.Index, field string) (*view, error) {
	v := new(view)
	for _, x := range indexes.Leaves(x) {
		if err := v.open(x, field); err != nil {
			v.close()
			return nil, err
		}
	}
	return v, nil
}

func (v *view) open(x bleve.Index, field string) error {
	if _, err := x.Advanced(); err != nil {
		return fmt.Errorf("near: index %q: wanted one of type neardup in this process, got a %T: %w", x.Name(), x, err)
	}
	_, reader, err := indexes.Reader(x)
	if err != nil {
		return fmt.Errorf("near: index %q: %w", x.Name(), err)
	}
	v.snapshots = append(v.snapshots, &snapshot{IndexReader: reader, name: x.Name(), mapping: x.Mapping()})
	signatures := column.Of(reader, field)
	if signatures == nil {
		err = column.ErrUnsigned
	} else {
		err = indexes.SignedIn(reader, x.Mapping(), field)
		v.signatures, v.ends = append(v.signatures, signatures), append(v.ends, v.size()+signatures.Len())
	}
	if err != nil {
		return fmt.Errorf("near: index %q: %w", x.Name(), err)
	}
	return nil
}

// openTexts makes the texts of documents readable.
func (v *view) openTexts(field string) (err error) {
	for i, s := range v.snapshots {
		if s.texts, err = verify.NewSnapshot(s.IndexReader, s.mapping, field, v.signatures[i]); err != nil {
			return fmt.Errorf("near: index %q: %w", s.name, err)
		}
	}
	return nil
}

func (v *view) close() {
	for _, s := range v.snapshots {
		s.Close()
	}
}

// size is the number of documents, with deleted ones.
func (v *view) size() int {
	if len(v.ends) == 0 {
		return 0
	}
	return v.ends[len(v.ends)-1]
}

// of returns the snapshot of a document, and its number there.
func (v *view) of(doc int) (s *snapshot, n int) {
	i := sort.SearchInts(v.ends, doc+1)
	if i > 0 {
		doc -= v.ends[i-1]
	}
	return v.snapshots[i], doc
}

// scopes returns a number for each document: the same for documents that are equal in the fields, in
// whatever index. A document that is equal to no other has a number of its own.
func (v *view) scopes(ctx context.Context, within fields.Options) (all []uint64, err error) {
	const alone = 1 << 32
	all = make([]uint64, 0, v.size())
	numbers := fields.Numbers{Options: within}
	var values fields.Values
	for i, s := range v.snapshots {
		r, err := fields.NewReader(s.IndexReader, within.Within)
		if err != nil {
			return nil, err
		}
		for n := range v.signatures[i].Len() {
			if n%1024 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			scope := uint64(0)
			if _, ok := v.all.At(len(all)); ok {
				if values, err = r.Append(values[:0], column.Number(uint64(n))); err != nil {
					return nil, err
				}
				number, _, err := numbers.Of(values)
				if err != nil {
					return nil, err
				}
				if scope = uint64(number); number == fields.Apart {
					scope = alone + uint64(len(all))
				}
			}
			all = append(all, scope)
		}
	}
	return all, nil
}

// name returns the id of a document, and the name of its index if there are several.
func (v *view) name(doc int) (Document, error) {
	s, n := v.of(doc)
	id, err := s.ExternalID(column.Number(uint64(n)))
	d := Document{ID: id}
	if len(v.snapshots) > 1 {
		d.Index = s.name
	}
	return d, err
}

// sortKey returns what a document is ordered by.
func (v *view) sortKey(doc int, id string, order search.SortOrder) (*search.DocumentMatch, error) {
	s, n := v.of(doc)
	key := &search.DocumentMatch{ID: id}
	if fields := order.RequiredFields(); len(fields) > 0 {
		var err error
		if s.values == nil {
			if s.values, err = s.DocValueReader(fields); err != nil {
				return nil, err
			}
		}
		if err = s.values.VisitDocValues(column.Number(uint64(n)), order.UpdateVisitor); err != nil {
			return nil, err
		}
	}
	order.Value(key)
	return key, nil
}
