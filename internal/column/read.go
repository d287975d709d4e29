package column

import (
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
	scorchsegment "github.com/blevesearch/scorch_segment_api/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// InPlace is the term of the doc values of every signature that stands in them: the binary form
// follows. No tokenizer makes it, so it distinguishes signatures from doc values of other fields of that name.
const InPlace = "\x00"

// values reads the signatures of one segment, for one goroutine: from doc values, where the index type writes them, or
// else from the stored fields, of which all are unpacked for one.
type values struct {
	segment *scorch.SegmentSnapshot
	name    []string // of the stored field
	inPlace scorchsegment.DocValueVisitable
	state   scorchsegment.DocVisitState
	visit   func(field string, term []byte) // add
	first   []byte                          // the first term that was visited; nil before
	packed  []byte                          // the others
	sig     signature.Signature             // what was read last
}

func newValues(segment *scorch.SegmentSnapshot, name string) *values {
	v := &values{segment: segment, name: []string{name}, inPlace: visitable(segment, name)}
	v.visit = v.add
	return v
}

// visitable returns the segment if a field has doc values in it, else nil.
func visitable(segment *scorch.SegmentSnapshot, name string) scorchsegment.DocValueVisitable {
	s, ok := segment.Segment().(scorchsegment.DocValueVisitable)
	if !ok {
		return nil
	}
	if fields, err := s.VisitableDocValueFields(); err != nil || !slices.Contains(fields, name) {
		return nil
	}
	return s
}

// read reads the signature of the n-th document of the segment, whose memory the next read may use. The error is
// stored.ErrNone if there is none.
func (v *values) read(n uint64) (*signature.Signature, error) {
	if v.inPlace != nil {
		if inPlace, err := v.unpack(n); err != nil {
			return nil, err
		} else if inPlace {
			return v.signature()
		}
	}
	var value stored.Value
	err := Visit(v.segment, n, func(field string, text []byte) bool {
		if field == v.name[0] {
			value.Add(text)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	return value.Signature()
}

// unpack sets packed to the doc values of the n-th document after InPlace, and reports whether
// it found it, or no doc value at all. bleve cuts them at each byte that could end a term, so
// they are put together again.
func (v *values) unpack(n uint64) (inPlace bool, err error) {
	defer Guard("doc values", &err)
	v.first, v.packed = nil, v.packed[:0]
	v.state, err = v.inPlace.VisitDocValues(n, v.name, v.visit, v.state)
	inPlace = string(v.first) == InPlace
	switch {
	case err != nil:
		err = fmt.Errorf("neardup: doc values: %w: %w", signature.ErrMalformed, err)
	case inPlace && len(v.packed) == 0:
		err = fmt.Errorf("neardup: doc values: wanted a signature, got none: %w", signature.ErrMalformed)
	}
	return inPlace || v.first == nil, err
}

func (v *values) add(_ string, term []byte) {
	if v.first == nil {
		v.first = term
		return
	}
	v.packed = append(append(v.packed, term...), index.DocValueTermSeparator)
}

// signature reads what unpack has found.
func (v *values) signature() (*signature.Signature, error) {
	if v.first == nil {
		return nil, stored.ErrNone
	}
	if err := v.sig.UnmarshalBinary(v.packed[:len(v.packed)-1]); err != nil {
		return nil, err
	}
	return &v.sig, nil
}

// Stored returns a stored value of the document of that number, the first if there
// are several, and nil if there is none. It reads from disk.
func (r *Reader) Stored(doc uint64, name string) (value []byte, err error) {
	err = r.Visit(doc, func(stored string, v []byte) bool {
		if stored == name {
			value = append([]byte{}, v...)
		}
		return stored != name
	})
	return value, err
}

// Visit shows f the stored fields of the document of that number, as the function Visit does.
func (r *Reader) Visit(doc uint64, f func(name string, value []byte) bool) error {
	i, n, err := r.segment(doc)
	if err != nil {
		return err
	}
	return Visit(r.segments[i], n, f)
}

// Guard, deferred, makes an error that wraps signature.ErrMalformed of a panic of bleve's, which a damaged file can
// cause. what was read is named.
func Guard(what string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("neardup: %s: %w: %v", what, signature.ErrMalformed, p)
	}
}

// Document returns the document of an id with its stored fields, nil if there is none. Errors are those of Visit.
func Document(r index.IndexReader, id string) (doc index.Document, err error) {
	defer Guard(fmt.Sprintf("stored fields of %q", id), &err)
	if doc, err = r.Document(id); err != nil {
		err = fmt.Errorf("neardup: stored fields of %q: %w: %w", id, signature.ErrMalformed, err)
	}
	return doc, err
}

// Visit shows f the stored fields of the n-th document of a segment until f returns false. What bleve finds damaged, or
// panics at, is an error of this document alone, which wraps signature.ErrMalformed.
func Visit(segment *scorch.SegmentSnapshot, n uint64, f func(name string, value []byte) bool) (err error) {
	defer Guard("stored fields", &err)
	err = segment.VisitDocument(n, func(name string, _ byte, value []byte, _ []uint64) bool { return f(name, value) })
	if err != nil {
		id, _ := segment.DocID(n)
		err = fmt.Errorf("neardup: stored fields of %q: %w: %w", id, signature.ErrMalformed, err)
	}
	return err
}
