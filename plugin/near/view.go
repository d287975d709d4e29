package near

import (
	"context"
	"fmt"
	"sort"

	"github.com/blevesearch/bleve/v2"
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
	ends       []int // 0, and the ends of the snapshots' document numbers
}

// snapshot is one of an index.
type snapshot struct {
	index.IndexReader
	name   string
	texts  *verify.Snapshot     // nil unless texts decide
	values index.DocValueReader // of the fields to order by
}

// open takes the snapshots, with their texts if these decide. It returns an error if one of the indexes is not of type
// neardup.
func open(x bleve.Index, field string, texts bool) (*view, error) {
	v := &view{ends: []int{0}}
	for _, x := range indexes.Leaves(x) {
		if err := v.open(x, field, texts); err != nil {
			v.close()
			return nil, fmt.Errorf("near: index %q: %w", x.Name(), err)
		}
	}
	return v, nil
}

func (v *view) open(x bleve.Index, field string, texts bool) error {
	if _, err := x.Advanced(); err != nil {
		return fmt.Errorf("wanted one of type neardup in this process, got a %T: %w", x, err)
	}
	reader, err := indexes.Reader(x)
	if err != nil {
		return err
	}
	s := &snapshot{IndexReader: reader, name: x.Name()}
	v.snapshots = append(v.snapshots, s)
	signatures := column.Of(reader, field)
	if signatures == nil {
		return column.ErrUnsigned
	}
	v.signatures, v.ends = append(v.signatures, signatures), append(v.ends, v.size()+signatures.Len())
	if err = indexes.SignedIn(reader, x.Mapping(), field); err == nil && texts {
		s.texts, err = verify.NewSnapshot(reader, x.Mapping(), field, signatures)
	}
	return err
}

func (v *view) close() {
	for _, s := range v.snapshots {
		s.Close()
	}
}

// size is the number of documents, with deleted ones.
func (v *view) size() int { return v.ends[len(v.ends)-1] }

// of returns the snapshot of a document, and its number there.
func (v *view) of(doc int) (s *snapshot, n int) {
	i := sort.SearchInts(v.ends, doc+1) - 1
	return v.snapshots[i], doc - v.ends[i]
}

// scopes returns a number for each document: the same for documents that are equal in the fields, in
// whatever index. A document that is equal to no other has a number of its own.
func (v *view) scopes(ctx context.Context, within []string) (all []uint64, err error) {
	const alone = 1 << 32
	all = make([]uint64, 0, v.size())
	numbers := fields.Numbers{Options: fields.Options{Within: within}}
	var values fields.Values
	for i, s := range v.snapshots {
		r, err := fields.NewReader(s.IndexReader, within)
		if err != nil {
			return nil, err
		}
		for n := range v.signatures[i].Len() {
			if n%checkEvery == 0 && ctx.Err() != nil {
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

// sortKey returns what a document is ordered by. If it is not asked in the order of documents, bleve decompresses a
// thousand values each time.
func (v *view) sortKey(doc int, order search.SortOrder) (_ []string, err error) {
	s, n := v.of(doc)
	key := new(search.DocumentMatch)
	if order.RequiresDocID() {
		key.ID, err = s.ExternalID(column.Number(uint64(n)))
	}
	if fields := order.RequiredFields(); err == nil && len(fields) > 0 {
		if s.values == nil {
			if s.values, err = s.DocValueReader(fields); err != nil {
				return nil, err
			}
		}
		err = s.values.VisitDocValues(column.Number(uint64(n)), order.UpdateVisitor)
	}
	order.Value(key)
	return key.Sort, err
}
