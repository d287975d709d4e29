package column

import (
	"fmt"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// read reads the signature of the n-th document of a segment, nil if there is none;
// damage says that what is stored cannot be read.
func read(segment *scorch.SegmentSnapshot, n uint64, name string) (sig *signature.Signature, damage error) {
	var value stored.Value
	err := Visit(segment, n, func(field string, text []byte) bool {
		if field == name {
			value.Add(text)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	if sig, damage = value.Signature(); damage == stored.ErrNone {
		damage = nil
	}
	return sig, damage
}

// Stored returns a stored value of the document of that number, the first if there
// are several, and nil if there is none. It reads from disk.
func (r *Reader) Stored(doc uint64, name string) (value []byte, err error) {
	i, n, err := r.segment(doc)
	if err != nil {
		return nil, err
	}
	err = Visit(r.segments[i], n, func(stored string, v []byte) bool {
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

// Guard, deferred, makes an error of a panic of bleve's, which a damaged file can cause: one
// that names what was read and wraps signature.ErrMalformed. Much of a segment is read by
// goroutines of this module, where nobody else could.
func Guard(what string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("neardup: %s: %w: %v", what, signature.ErrMalformed, p)
	}
}

// Visit shows f the stored fields of the n-th document of a segment until f returns
// false. In a file that is damaged bleve finds compressed data that are none, or lengths
// beyond the end, at which it panics: either is an error here, of this document alone,
// which wraps signature.ErrMalformed.
func Visit(segment *scorch.SegmentSnapshot, n uint64, f func(name string, value []byte) bool) (err error) {
	defer Guard("stored fields", &err)
	err = segment.VisitDocument(n, func(name string, _ byte, value []byte, _ []uint64) bool { return f(name, value) })
	if err != nil {
		err = fmt.Errorf("neardup: stored fields: %w: %w", signature.ErrMalformed, err)
	}
	return err
}
