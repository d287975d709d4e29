package gate

import (
	"iter"
	"maps"
	"slices"

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

	holds map[uint64][]int // in the batch, by selected fingerprint
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
	for _, value := range d.Passages.Values {
		if p.holds == nil {
			p.holds = map[uint64][]int{}
		}
		p.holds[value] = append(p.holds[value], i)
	}
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

// sharing returns the places of the documents in d's scope that have a fingerprint of d which is looked up, in their order. What more than
// most of them have is not followed, unless most is 0.
func (w *written) sharing(d *Document, most int) (places []int) {
	p := w.scopes[d.Scope]
	if p == nil || len(p.holds) == 0 {
		return nil
	}
	met := map[int]bool{}
	for _, value := range d.Followed {
		if most > 0 && len(p.holds[value]) > most {
			continue
		}
		for _, i := range p.holds[value] {
			met[i] = true
		}
	}
	return slices.Sorted(maps.Keys(met))
}
