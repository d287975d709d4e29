package gate

import (
	"iter"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// written is what a batch writes, as far as it was judged: the places of documents in
// the batch, by their scopes, in the order in which they were judged. Of a thousand copies the first few are found as fast as of
// ten.
type written struct {
	rule   signature.Rule
	scopes map[uint64]*places
}

type places struct {
	table *table.Table
	of    []int // in the batch, of what table has
}

func newWritten(rule signature.Rule) *written {
	return &written{rule, map[uint64]*places{}}
}

// add adds the i-th document of the batch, which is d.
func (w *written) add(i int, d *Document) {
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
