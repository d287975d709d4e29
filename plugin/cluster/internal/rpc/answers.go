package rpc

import (
	"strconv"
	"sync"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// Answers collects what all shards say of some documents that are to be written. Answers is safe for concurrent use.
type Answers struct {
	request NearestRequest
	mu      sync.Mutex
	all     NearestAnswer
	status  bleve.SearchStatus
}

// NewAnswers returns Answers to a request without the reply of any shard yet. Each query has the signature and the id of
// a document.
func NewAnswers(r NearestRequest) *Answers {
	return &Answers{request: r, status: bleve.SearchStatus{Errors: bleve.IndexErrMap{}}}
}

// Add adds what a shard says, or why it says nothing.
func (a *Answers) Add(shard string, own NearestAnswer, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.status.Total++
	if err == nil {
		err = a.request.whole(&own)
	}
	if err != nil {
		a.status.Failed++
		a.status.Errors[shard] = err
		return
	}
	a.status.Successful++
	a.all.Add(own)
}

// Outcome is what became of a document that was submitted. It is no admission.Verdict: no policy
// decided, and Unchecked says which shards were not heard.
type Outcome struct {
	ID      string `json:"id"`
	Written bool   `json:"written"`

	// Of is the best near-duplicate on any shard, or one that came before in the same call,
	// which is on no shard yet.
	Of *near.SimilarHit `json:"of,omitempty"`

	// Unchecked names the shards that did not say whether they have a near-duplicate. While it is
	// not empty, a nil Of says nothing about those shards.
	Unchecked []string `json:"unchecked,omitempty"`

	// Group is the name of the group that it was written with, and Founded whether that is a new one, where groups have
	// names: see admission.Policy.Group.
	Group   string `json:"group,omitempty"`
	Founded bool   `json:"founded,omitempty"`

	// Err says why a document that is no near-duplicate was not written.
	Err error `json:"-"`
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
	outcomes = make([]Outcome, len(a.request.Queries))
	for i, q := range a.request.Queries {
		o := &outcomes[i]
		o.ID = q.ID
		if sig := q.Signature; sig.Tokens > 0 {
			if o.Unchecked = Missing(&a.status); a.all.Hits != nil {
				o.Of = a.all.Hits[i]
			}
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

// Named is Outcomes to a request with Tries: all documents are written, under the names of their groups. The error is that
// of judge. If taken is set, the caller must ask again, as a name that a document would found has other members: the
// Tries of the request are counted.
func (a *Answers) Named(judge func(*bleve.SearchStatus) error, rule signature.Rule) (outcomes []Outcome, taken bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := judge(&a.status); err != nil {
		return nil, false, err
	}
	written := table.New(rule)
	var before []*Outcome // of what written has
	var signatures []*signature.Signature
	outcomes = make([]Outcome, len(a.request.Queries))
	for i := range outcomes {
		q, o, names := &a.request.Queries[i], &outcomes[i], a.all.Names[i]
		var batch []gate.Name
		if q.Signature.Tokens > 0 {
			for n := range written.Each(q.Signature) {
				group, _ := strconv.ParseUint(before[n].Group, 16, 64)
				match, _ := rule.Match(signatures[n], q.Signature)
				if batch = append(batch, gate.Name{Group: group, Match: match}); len(batch) > gate.Few {
					break
				}
			}
			written.Add(q.Signature)
			before, signatures = append(before, o), append(signatures, q.Signature)
		}
		names.AddBatch(batch)
		o.ID, o.Group = q.ID, names.Choose()
		if o.Founded = o.Group == ""; o.Founded {
			o.Group = document(q).Found(a.request.Tries[i])
			if names.Taken {
				a.request.Tries[i]++
				taken = true
			}
		}
	}
	return outcomes, taken, nil
}

// Old are the signatures that the documents have on their shards, nil of those that have none there.
func (a *Answers) Old() (all []*signature.Signature) {
	for _, n := range a.all.Names {
		all = append(all, n.Old)
	}
	return all
}
