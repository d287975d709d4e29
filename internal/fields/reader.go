package fields

import (
	"slices"

	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/numeric"
	index "github.com/blevesearch/bleve_index_api"
)

// Reader reads values in one snapshot. It is not safe for concurrent use.
type Reader struct {
	snapshot index.IndexReader
	names    []string
	values   index.DocValueReader
	found    [][][]byte // by field, the terms of the document that is read
	buf      []byte     // has them
	from     []source   // by field
}

// source says where the values of a field are.
type source uint8

const (
	unknown source = iota // not yet asked
	indexed               // the snapshot has terms of it
	stored
)

// NewReader returns a Reader of these fields.
func NewReader(snapshot index.IndexReader, names []string) (*Reader, error) {
	values, err := snapshot.DocValueReader(names)
	if err != nil {
		return nil, err
	}
	return &Reader{snapshot: snapshot, names: names, values: values, found: make([][][]byte, len(names)), from: make([]source, len(names))}, nil
}

// Append appends the Values of a document.
func (r *Reader) Append(v Values, id index.IndexInternalID) (Values, error) {
	for i := range r.found {
		r.found[i] = r.found[i][:0]
	}
	r.buf = r.buf[:0]
	err := r.values.VisitDocValues(id, func(field string, term []byte) {
		if i := slices.Index(r.names, field); i >= 0 {
			begin := len(r.buf)
			r.buf = append(r.buf, term...)
			r.found[i] = append(r.found[i], r.buf[begin:])
		}
	})
	if err != nil {
		return nil, err
	}
	for i, name := range r.names {
		if len(r.found[i]) == 0 {
			if r.found[i], err = r.stored(i, name, id); err != nil {
				return nil, err
			}
		}
		v = v.appendSet(r.found[i])
	}
	return v, nil
}

// stored returns the stored values of a field that the snapshot has no terms of.
func (r *Reader) stored(i int, name string, id index.IndexInternalID) ([][]byte, error) {
	if r.from[i] == unknown {
		if err := r.find(i, name); err != nil {
			return nil, err
		}
	}
	if r.from[i] == indexed {
		return nil, nil
	}
	external, err := r.snapshot.ExternalID(id)
	if err != nil {
		return nil, err
	}
	d, err := r.snapshot.Document(external)
	if err != nil || d == nil {
		return nil, err
	}
	var set [][]byte
	d.VisitFields(func(f index.Field) {
		if f.Name() == name {
			set = append(set, ofField(f)...)
		}
	})
	return set, nil
}

// find finds out where the values of a field are.
func (r *Reader) find(i int, name string) error {
	dict, err := r.snapshot.FieldDict(name)
	if err != nil {
		return err
	}
	defer dict.Close()
	entry, err := dict.Next()
	if err != nil {
		return err
	}
	r.from[i] = stored
	if entry != nil {
		r.from[i] = indexed
	}
	return nil
}

// ofField returns the terms that a stored value would have.
func ofField(f index.Field) [][]byte {
	switch f := f.(type) {
	case *document.NumericField:
		if n, err := numeric.PrefixCoded(f.Value()).Int64(); err == nil {
			return codes(n)
		}
	case *document.DateTimeField:
		if at, _, err := f.DateTime(); err == nil {
			return codes(at.UnixNano())
		}
	}
	return [][]byte{slices.Clone(f.Value())}
}
