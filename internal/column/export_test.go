package column

import (
	"weak"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/stored"
)

func newReader(s *Store, snapshot *scorch.IndexSnapshot, field string) *Reader {
	return s.reader(weak.Make(snapshot), snapshot, field)
}

// HasInPlace reports whether the signatures of a segment are doc values; name is that of their
// stored field.
func HasInPlace(segment *scorch.SegmentSnapshot, name string) bool {
	return visitable(segment, name) != nil
}

// ReadInPlace reads what doc values have, and nothing that is stored.
func ReadInPlace(segment *scorch.SegmentSnapshot, n uint64, name string) (*signature.Signature, error) {
	v := newValues(segment, name)
	if inPlace, err := v.unpack(n); err != nil || !inPlace {
		return nil, err
	}
	sig, err := v.signature()
	if err == stored.ErrNone {
		err = nil
	}
	return sig, err
}

// Size is the memory of all tables, in bytes.
func (p *Passages) Size() (bytes int) {
	for _, t := range p.tables {
		bytes += t.Size()
	}
	return bytes
}
