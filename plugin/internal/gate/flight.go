package gate

import (
	"iter"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// flight is a batch that was judged and is being written.
type flight struct {
	done    chan struct{}
	touched map[string]bool // ids that it writes or deletes
	read    map[string]bool // ids of documents in the index that its verdicts rest on
	written *written        // as it was judged
}

// flights are all batches that are being written.
type flights []*flight

// meets returns a flight that adds a near-duplicate of d, nil if there is none.
func (all flights) meets(d *Document) *flight {
	for _, f := range all {
		for range f.written.near(d) {
			return f
		}
	}
	return nil
}

// writing returns the flight that writes or deletes the document of that id.
func (all flights) writing(id string) *flight {
	for _, f := range all {
		if f.touched[id] {
			return f
		}
	}
	return nil
}

// using returns the flight that writes, deletes, or rests on the document of that id.
func (all flights) using(id string) *flight {
	for _, f := range all {
		if f.touched[id] || f.read[id] {
			return f
		}
	}
	return nil
}

// written is what a batch writes, as far as it was judged: the places of documents in the batch, by their scopes, in
// the order in which they were judged.
type written struct {
	rule   signature.Rule
	docs   []*Document // of the batch, by their places
	scopes map[uint64]*places
}

type places struct {
	table *table.Table
	of    []int // in the batch, of what table has
}

// add adds the i-th document of the batch.
func (w *written) add(i int) {
	d := w.docs[i]
	p := w.scopes[d.Scope]
	if p == nil {
		p = &places{table: table.New(w.rule)}
		w.scopes[d.Scope] = p
	}
	p.table.Add(d.Signature)
	p.of = append(p.of, i)
}

// near yields the places of the near-duplicates of d in its scope, in their order.
func (w *written) near(d *Document) iter.Seq[int] {
	return func(yield func(int) bool) {
		p := w.scopes[d.Scope]
		if p == nil || d.Signature == nil {
			return
		}
		for n := range p.table.Each(d.Signature) {
			if !yield(p.of[n]) {
				return
			}
		}
	}
}
