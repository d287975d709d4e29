package rpc

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/strict"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// CheckNearest rejects queries that near.Nearest cannot answer, though they could be read.
func CheckNearest(queries []near.SimilarQuery) error {
	for i := range queries {
		if queries[i].Signature == nil {
			return Reject(fmt.Errorf("query %d: wanted a signature, got none", i))
		}
	}
	return nil
}

// Answers collects the best near-duplicates of some documents that are to be written, from
// all shards that reply. Each query has the signature and the id of a document. Answers is
// safe for concurrent use.
type Answers struct {
	queries []near.SimilarQuery
	mu      sync.Mutex
	best    []*near.SimilarHit
	status  bleve.SearchStatus
}

// NewAnswers returns Answers without the reply of any shard yet.
func NewAnswers(queries []near.SimilarQuery) *Answers {
	return &Answers{
		queries: queries, best: make([]*near.SimilarHit, len(queries)),
		status: bleve.SearchStatus{Errors: bleve.IndexErrMap{}},
	}
}

// Add adds what a shard says, a hit or nil for each query, or why it says nothing.
func (a *Answers) Add(shard string, hits []*near.SimilarHit, err error) {
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

// Outcome is what became of a document that was submitted. It is no admission.Verdict: no policy
// decided, and Unchecked says which shards were not heard. In JSON an id that is not UTF-8 is
// {"base64": "..."}: Outcome has a MarshalJSON for that, which a struct that embeds an Outcome
// gets, too.
type Outcome struct {
	ID      string `json:"id"`
	Written bool   `json:"written"`

	// Of is the best near-duplicate on any shard, or one that came before in the same call,
	// which is on no shard yet.
	Of *near.SimilarHit `json:"of,omitempty"`

	// Unchecked names the shards that did not say whether they have a near-duplicate. While it is
	// not empty, a nil Of says nothing about those shards.
	Unchecked []string `json:"unchecked,omitempty"`

	// Err says why a document that is no near-duplicate was not written.
	Err error `json:"-"`
}

// outcomeJSON hides the id of an Outcome.
type outcomeJSON struct {
	ID strict.ID `json:"id"`
	*plainOutcome
}

type plainOutcome Outcome

// MarshalJSON implements json.Marshaler.
func (o Outcome) MarshalJSON() ([]byte, error) {
	return strict.Marshal(outcomeJSON{strict.ID(o.ID), (*plainOutcome)(&o)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (o *Outcome) UnmarshalJSON(data []byte) error {
	read := outcomeJSON{plainOutcome: new(plainOutcome)}
	err := json.Unmarshal(data, &read)
	*o = Outcome(*read.plainOutcome)
	o.ID = string(read.ID)
	return err
}

// Outcomes returns what becomes of each document, and the places of the documents that are
// to be written: all but near-duplicates, by rule, of what shards have or of a document
// before them. The error of judge, which is given the status of all replies, is the error of
// each document for which no near-duplicate is known, and then it is not written.
func (a *Answers) Outcomes(judge func(*bleve.SearchStatus) error, rule signature.Rule) (outcomes []Outcome, admitted []int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	partial := judge(&a.status)
	accepted := table.New(rule)
	var ids []string
	outcomes = make([]Outcome, len(a.queries))
	for i, q := range a.queries {
		o := &outcomes[i]
		o.ID = q.ID
		if sig := q.Signature; sig.Tokens > 0 {
			o.Unchecked, o.Of = Missing(&a.status), a.best[i]
			if n := accepted.First(sig); o.Of == nil && n >= 0 {
				o.Of = &near.SimilarHit{Hit: near.Hit{ID: ids[n]}}
			}
			if o.Of != nil { // true, no matter which shard did not answer
				continue
			}
			if o.Err = partial; partial != nil {
				continue
			}
			accepted.Add(sig)
			ids = append(ids, q.ID)
		}
		admitted = append(admitted, i)
	}
	return outcomes, admitted
}
