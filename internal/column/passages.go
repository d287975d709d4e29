package column

import (
	"context"
	"fmt"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
)

// Passages finds the documents of one snapshot that have a selected fingerprint (package winnow). It has a table in
// memory for each segment, of about 150 bytes for a document of 400 words and passages of 50. What is new in a later
// snapshot alone is read for that, and what belongs to segments that were merged away goes with them.
type Passages struct {
	// Damaged is the number of documents whose fingerprints cannot be read.
	Damaged int

	reader *Reader
	tables []*passages // of the segments
}

// Passages returns the Passages of what was made by parameters with that signature.Params.ID; others cannot be
// compared. It reads what is not in memory, and fails with ctx.
func (r *Reader) Passages(ctx context.Context, params uint32) (*Passages, error) {
	p := &Passages{reader: r}
	for i := range r.columns {
		t, err := r.passagesOf(ctx, i, params)
		if err != nil {
			return nil, err
		}
		p.tables = append(p.tables, t)
		p.Damaged += r.shown(i, t.damaged)
	}
	return p, nil
}

// passagesOf returns the table of the i-th segment.
func (r *Reader) passagesOf(ctx context.Context, i int, params uint32) (*passages, error) {
	c := r.columns[i]
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.passages != nil && c.passages.params == params {
		return c.passages, nil
	}
	t := &passages{params: params}
	v := newValues(r.segments[i], signature.Field(r.field).Passages())
	var failed error
	t.Table = winnow.NewTable(c.Len(), func(n int) []uint64 {
		if n%checkEvery == 0 && failed == nil {
			failed = ctx.Err()
		}
		if n == 0 {
			t.damaged = nil // all are read twice
		}
		if failed != nil {
			return nil
		}
		prints, _, err := v.prints(uint64(n))
		if err != nil {
			t.damaged = append(t.damaged, n)
		}
		if err != nil || prints.Params != params {
			return nil
		}
		return prints.Values
	})
	if failed != nil {
		return nil, failed
	}
	c.passages = t
	return t, nil
}

// checkEvery is how many documents are read between looks at the context.
const checkEvery = 1024

// prints reads the selected fingerprints of the n-th document of the segment, false if there are none.
func (v *values) prints(n uint64) (p winnow.Prints, ok bool, err error) {
	if v.inPlace == nil {
		return p, false, nil
	}
	inPlace, err := v.unpack(n)
	if err == nil && !inPlace {
		err = fmt.Errorf("neardup: doc values: wanted selected fingerprints, got others: %w", signature.ErrMalformed)
	}
	if err != nil || v.first == nil {
		return p, false, err
	}
	err = p.UnmarshalBinary(v.packed[:len(v.packed)-1])
	return p, err == nil, err
}

// Prints returns the selected fingerprints of the document of that number, false if it has none. The error
// wraps signature.ErrMalformed or signature.ErrVersion.
func (r *Reader) Prints(doc uint64) (p winnow.Prints, ok bool, err error) {
	i, n, err := r.segment(doc)
	if err != nil {
		return p, false, err
	}
	return newValues(r.segments[i], signature.Field(r.field).Passages()).prints(n)
}

// Documents yields the numbers of the documents of the snapshot that have a value of winnow.Prints, in no order,
// until yield returns false. It reports whether yield never did.
func (p *Passages) Documents(value uint64, yield func(doc uint64) bool) bool {
	for i, t := range p.tables {
		if !t.Documents(value, func(n int) bool { return p.reader.show(i, n, yield) }) {
			return false
		}
	}
	return true
}

// Count returns how many documents have a value, with those that are deleted.
func (p *Passages) Count(value uint64) (n int) {
	for _, t := range p.tables {
		n += t.Count(value)
	}
	return n
}
