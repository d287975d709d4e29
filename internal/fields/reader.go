package fields

import (
	"slices"

	"github.com/blevesearch/bleve/v2/index/scorch"
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
}

// NewReader returns a Reader of these fields.
func NewReader(snapshot index.IndexReader, names []string) (*Reader, error) {
	values, err := snapshot.DocValueReader(names)
	if err != nil {
		return nil, err
	}
	r := &Reader{snapshot: snapshot, names: names, values: values, found: make([][][]byte, len(names))}
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
		if kept, ok := r.kept(v, id); ok {
			return kept, nil
		}
	}
	return r.read(v, id)
}

// encode is how terms are kept in memory: not at all if bleve does not give them in their order, which
// sorting would lose. scorch gives terms in order, but a term in pieces if that has a byte 0xff, as IP addresses have.
func encode(b []byte, terms [][]byte) []byte {
	if !slices.IsSortedFunc(terms, slices.Compare[[]byte]) {
		return b
	}
	return Values(b).appendSet(terms)
}

// kept appends Values that are in memory, and reports whether they all are.
func (r *Reader) kept(v Values, id index.IndexInternalID) (Values, bool) {
	for i := range r.names {
		value, ok := r.terms[i].Of(id.Value())
		if !ok || len(value) == 0 {
			return nil, false
		}
		v = append(v, value...)
	}
	return v, true
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
	for _, found := range r.found {
		if ordered && !slices.IsSortedFunc(found, slices.Compare[[]byte]) {
			v = v.append(found) // pieces of terms, which tell others apart by their order
		} else {
			v = v.appendSet(found)
		}
	}
	return v, nil
}

// EqualTo returns a function that reports whether a document of the snapshot is equal in these fields to one
// with these Values. The function is not safe for concurrent use.
func EqualTo(snapshot index.IndexReader, within []string, values Values) (func(doc uint64) (bool, error), error) {
	if len(within) == 0 {
		return func(uint64) (bool, error) { return true, nil }, nil
	}
	numbers := Numbers{Options: Options{Within: within}}
	want, _, err := numbers.Of(values)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(snapshot, within)
	if err != nil {
		return nil, err
	}
	var room Values
	return func(doc uint64) (bool, error) {
		if want == Apart {
			return false, nil
		}
		if room, err = r.Append(room[:0], column.Number(doc)); err != nil {
			return false, err
		}
		scope, _, err := numbers.Of(room)
		return scope == want, err
	}, nil
}
