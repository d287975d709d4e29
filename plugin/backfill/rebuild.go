package backfill

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/indexes"
)

// rebuilder rebuilds documents of one snapshot from their stored fields.
type rebuilder struct {
	source  index.IndexReader
	mapping *mapping.IndexMappingImpl
	fields  map[string]*fields // by type, "" for the default mapping
	lossy   bool
}

func newRebuilder(m mapping.IndexMapping, source index.IndexReader, lossy, leaving bool) (*rebuilder, error) {
	impl, ok := m.(*mapping.IndexMappingImpl)
	if !ok {
		return nil, fmt.Errorf("backfill: wanted a source with a *mapping.IndexMappingImpl, got a %T: give Options.Source", m)
	}
	r := &rebuilder{source: source, mapping: impl, fields: map[string]*fields{"": newFields(impl.DefaultMapping)}, lossy: lossy}
	for name, dm := range impl.TypeMapping {
		r.fields[name] = newFields(dm)
	}
	if lossy {
		return r, nil
	}
	var dropped map[string]bool
	if leaving {
		plain, err := newPlain(impl)
		if err != nil {
			return nil, err
		}
		dropped = plain.dropped
	}
	return r, whole(impl, r.fields, dropped, source)
}

// Rebuilt returns a function that rebuilds documents of x from their stored fields, as Run does with
// the zero Options, and nil for an id that x does not have. It reads them as they are now. Call done afterwards. It is
// an error if the stored fields do not hold everything that the mapping indexes.
func Rebuilt(x bleve.Index) (source func(ctx context.Context, id string) (any, error), done func() error, err error) {
	if err := indexes.Present(x); err != nil {
		return nil, nil, fmt.Errorf("backfill: %w", err)
	}
	inner, err := x.Advanced()
	if err != nil {
		return nil, nil, err
	}
	reader, err := inner.Reader()
	if err != nil {
		return nil, nil, err
	}
	r, err := newRebuilder(x.Mapping(), reader, false, false)
	if err != nil {
		return nil, nil, errors.Join(err, reader.Close())
	}
	return func(_ context.Context, id string) (any, error) { return r.document(id) }, reader.Close, nil
}

// document returns the document of an id, nil if there is none.
func (r *rebuilder) document(id string) (any, error) {
	stored, err := r.source.Document(id)
	if err != nil || stored == nil {
		return nil, err
	}
	fields, err := r.typed(stored)
	if err != nil {
		return nil, err
	}
	var root property
	stored.VisitFields(func(f index.Field) {
		if own(f.Name()) || err != nil {
			return
		}
		if path, ok := fields.path(f.Name()); ok {
			var v any
			if v, err = decode(f); err == nil {
				root.at(path).add(f.ArrayPositions(), v)
			} else {
				err = fmt.Errorf("field %q: %w", f.Name(), err)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	data := root.properties()
	if !r.lossy {
		err = r.compare(stored, data)
	}
	return data, err
}

// typed returns the fields of the type of a document.
func (r *rebuilder) typed(stored index.Document) (*fields, error) {
	if len(r.fields) == 1 {
		return r.fields[""], nil
	}
	fields, known := r.fields[""], false
	stored.VisitFields(func(f index.Field) {
		if t, ok := f.(index.TextField); ok && f.Name() == r.mapping.TypeField {
			fields, known = cmp.Or(r.fields[t.Text()], r.fields[""]), true
		}
	})
	if !known && !r.lossy {
		return nil, fmt.Errorf("wanted the stored field %q, by which the mapping knows its type, got none: give Options.Source, or be Lossy", r.mapping.TypeField)
	}
	return fields, nil
}

// compare returns an error if data, mapped as the source would, has other stored fields
// than those that are there.
func (r *rebuilder) compare(stored index.Document, data any) error {
	doc := document.NewDocument(stored.ID())
	if err := r.mapping.MapDocument(doc, data); err != nil {
		return err
	}
	was := contents(stored, func(index.Field) bool { return true })
	is := contents(doc, func(f index.Field) bool { return f.Options().IsStored() })
	for i := range max(len(was), len(is)) {
		switch {
		case i == len(is) || i < len(was) && was[i] < is[i]:
			return fmt.Errorf("wanted to rebuild the stored value %.100s, got none such: give Options.Source, or be Lossy", was[i])
		case i == len(was) || was[i] > is[i]:
			return fmt.Errorf("wanted to rebuild what is stored, got %.100s besides: give Options.Source, or be Lossy", is[i])
		}
	}
	return nil
}

// contents are the values of those fields of a document, sorted.
func contents(doc index.Document, of func(index.Field) bool) []string {
	var all []string
	doc.VisitFields(func(f index.Field) {
		if of(f) && !own(f.Name()) {
			all = append(all, fmt.Sprintf("%s %v %c %q", f.Name(), f.ArrayPositions(), f.EncodedFieldType(), f.Value()))
		}
	})
	slices.Sort(all)
	return all
}
