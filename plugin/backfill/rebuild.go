package backfill

import (
	"cmp"
	"fmt"

	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// rebuilder rebuilds documents of one snapshot from their stored fields.
type rebuilder struct {
	source  index.IndexReader
	mapping *mapping.IndexMappingImpl
	fields  map[string]*fields // by type, "" for the default mapping
	lossy   bool
}

// newRebuilder returns a rebuilder for an index with the fields in left, or one of type neardup if left is nil.
func newRebuilder(m mapping.IndexMapping, source index.IndexReader, lossy bool, left map[string]*fields) (*rebuilder, error) {
	impl, ok := m.(*mapping.IndexMappingImpl)
	if !ok {
		return nil, fmt.Errorf("backfill: wanted a source with a *mapping.IndexMappingImpl, got a %T: give Options.Source", m)
	}
	r := &rebuilder{source: source, mapping: impl, fields: newFields(impl), lossy: lossy}
	if lossy {
		return r, nil
	}
	return r, whole(impl, r.fields, left, source)
}

// document returns the document of an id, nil if there is none.
func (r *rebuilder) document(id string) (data any, err error) {
	there, err := column.Document(r.source, id)
	if err != nil || there == nil {
		return nil, err
	}
	fields, err := r.typed(there)
	if err != nil {
		return nil, err
	}
	var root property
	there.VisitFields(func(f index.Field) {
		path, ok := fields.path(f.Name())
		if !ok || own(f.Name()) || err != nil {
			return
		}
		v, wrong := decode(f)
		if root.add(path, f.ArrayPositions(), v); wrong != nil {
			err = fmt.Errorf("field %q: %w", f.Name(), wrong)
		}
	})
	if err != nil {
		return nil, err
	}
	if data = root.properties(); !r.lossy {
		err = r.compare(there, data)
	}
	return data, err
}

// typed returns the fields of the type of a document.
func (r *rebuilder) typed(doc index.Document) (*fields, error) {
	if len(r.fields) == 1 {
		return r.fields[""], nil
	}
	fields, known := r.fields[""], false
	doc.VisitFields(func(f index.Field) {
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
// than the document that is there.
func (r *rebuilder) compare(there index.Document, data any) error {
	doc := document.NewDocument(there.ID())
	if err := r.mapping.MapDocument(doc, data); err != nil {
		return err
	}
	was, is := stored.Contents(there, true), stored.Contents(doc, false)
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
