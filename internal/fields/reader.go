package fields

import (
	"bytes"
	"slices"

	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/numeric"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/column"
)

// Reader reads values in one snapshot. It is not safe for concurrent use.
type Reader struct {
	snapshot index.IndexReader
	names    []string
	terms    []*column.Terms // by field; nil if the snapshot is not of an index of type neardup
	values   index.DocValueReader
	found    [][][]byte // by field, the terms of the document that is read
	buf      []byte     // has them
	inMemory [][]byte   // by field, what is kept of the document that is visited
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
	r := &Reader{snapshot: snapshot, names: names, values: values, found: make([][][]byte, len(names)), from: make([]source, len(names))}
	for _, name := range names {
		t := column.TermsOf(snapshot, name, encode)
		if t == nil {
			return r, nil
		}
		r.terms = append(r.terms, t)
	}
	return r, nil
}

// Of returns the Values of one document of a snapshot.
func Of(snapshot index.IndexReader, names []string, id index.IndexInternalID) (Values, error) {
	r, err := NewReader(snapshot, names)
	if err != nil {
		return nil, err
	}
	return r.Append(nil, id)
}

// Append appends the Values of a document. The error wraps signature.ErrMalformed where the file is
// damaged and bleve panics.
func (r *Reader) Append(v Values, id index.IndexInternalID) (all Values, err error) {
	defer column.Guard("values of fields", &err)
	if r.terms != nil && len(id) == 8 {
		kept, ok, err := r.kept(v, id)
		if ok || err != nil {
			return kept, err
		}
	}
	return r.read(v, id)
}

// Visit shows visit the doc values of a document, as an index.DocValueReader does, from memory if they
// are there.
func (r *Reader) Visit(id index.IndexInternalID, visit index.DocValueVisitor) error {
	if r.terms == nil || len(id) != 8 {
		return r.values.VisitDocValues(id, visit)
	}
	r.inMemory = r.inMemory[:0]
	for _, t := range r.terms {
		value, ok := t.Of(id.Value())
		if !ok || len(value) == 0 {
			return r.values.VisitDocValues(id, visit)
		}
		r.inMemory = append(r.inMemory, value)
	}
	for i, name := range r.names {
		if err := Values(r.inMemory[i]).each(func(term []byte) { visit(name, term) }); err != nil {
			return err
		}
	}
	return nil
}

// encode is how terms are kept in memory: not at all if bleve does not give them in their order, which
// sorting would lose. scorch gives terms in order, but a term in pieces if that has a byte 0xff, as IP addresses have.
func encode(b []byte, terms [][]byte) []byte {
	if !slices.IsSortedFunc(terms, slices.Compare[[]byte]) {
		return b
	}
	return Values(b).appendSet(terms)
}

// none is what encode makes of no terms.
var none = encode(nil, nil)

// kept appends Values that are in memory, and reports whether they all are.
func (r *Reader) kept(v Values, id index.IndexInternalID) (Values, bool, error) {
	for i, name := range r.names {
		value, ok := r.terms[i].Of(id.Value())
		if !ok || len(value) == 0 {
			return nil, false, nil
		}
		if !bytes.Equal(value, none) {
			v = append(v, value...)
			continue
		}
		set, err := r.stored(i, name, id)
		if err != nil {
			return nil, false, err
		}
		v = v.appendSet(set)
	}
	return v, true, nil
}

// read reads Values from the index.
func (r *Reader) read(v Values, id index.IndexInternalID) (Values, error) {
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
	_, ordered := r.snapshot.(*scorch.IndexSnapshot)
	for i, name := range r.names {
		switch {
		case len(r.found[i]) == 0:
			set, err := r.stored(i, name, id)
			if err != nil {
				return nil, err
			}
			v = v.appendSet(set)
		case ordered && !slices.IsSortedFunc(r.found[i], slices.Compare[[]byte]):
			v = v.append(r.found[i]) // pieces of terms, which tell others apart by their order
		default:
			v = v.appendSet(r.found[i])
		}
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
