package shards

import (
	"fmt"
	"sync"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin/similar"
)

// Answers has the best near-duplicates of some queries, each of the signature and the id
// of a document that is to be written, as far as shards have said. It is safe for
// concurrent use.
type Answers struct {
	queries []similar.Query
	mu      sync.Mutex
	best    []*similar.Hit
	status  bleve.SearchStatus
}

// NewAnswers returns Answers to queries, which no shard has said anything of.
func NewAnswers(queries []similar.Query) *Answers {
	return &Answers{
		queries: queries, best: make([]*similar.Hit, len(queries)),
		status: bleve.SearchStatus{Errors: bleve.IndexErrMap{}},
	}
}

// Add adds what a shard says, a hit or nil for each query, or why it says nothing.
func (a *Answers) Add(shard string, hits []*similar.Hit, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.status.Total++
	if err == nil && len(hits) != len(a.queries) {
		err = fmt.Errorf("wanted answers to %d queries, got %d", len(a.queries), len(hits))
	}
	if err != nil {
		a.status.Failed++
		a.status.Errors[shard] = err
		return
	}
	a.status.Successful++
	for i, h := range hits {
		a.best[i] = Nearer(a.best[i], h)
	}
}

// Verdicts returns a verdict on each document, and the places of those that are to be
// written: all but near-duplicates, by rule, of what shards have or of one before them,
// and those of which that is not known where p does not allow it.
func (a *Answers) Verdicts(p Partial, rule signature.Rule) (verdicts []Verdict, admitted []int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	partial := p.Judge(&a.status)
	accepted := table.New(rule)
	var ids []string
	verdicts = make([]Verdict, len(a.queries))
	for i, q := range a.queries {
		v := &verdicts[i]
		v.ID = q.ID
		if sig := q.Signature; sig.Tokens > 0 {
			v.Unchecked, v.Of = Missing(&a.status), a.best[i]
			if n := accepted.First(sig); v.Of == nil && n >= 0 {
				v.Of = &similar.Hit{Ref: collapse.Ref{ID: ids[n]}}
			}
			if v.Of != nil { // true, no matter which shard did not answer
				continue
			}
			if v.Err = partial; partial != nil {
				continue
			}
			accepted.Add(sig)
			ids = append(ids, q.ID)
		}
		admitted = append(admitted, i)
	}
	return verdicts, admitted
}

// Nearer is the first of two hits in the order of similar.Search, of which each may be
// nil: by what they have in common with what was asked for, and then by id.
func Nearer(a, b *similar.Hit) *similar.Hit {
	share := func(h *similar.Hit) int {
		if h.By&signature.ByExact != 0 {
			return 1 << 30
		}
		return h.Agree
	}
	switch {
	case a == nil:
		return b
	case b == nil, share(a) > share(b), share(a) == share(b) && (a.ID < b.ID || a.ID == b.ID && a.Index < b.Index):
		return a
	}
	return b
}
