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

// NewAnswers returns Answers to a request without the reply of any shard yet. Each query has the signature and the id
// of a document.
func NewAnswers(r NearestRequest) *Answers {
	return &Answers{request: r, status: bleve.SearchStatus{Errors: bleve.IndexErrMap{}}}
}

// Add adds what a shard says, or why it says nothing.
func (a *Answers) Add(shard string, own NearestAnswer, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.status.Total++
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

// Judge asks all shards about documents, and returns what becomes of each, and the places of those that are to be
// written: all but near-duplicates, by rule, of what shards have or of a document before them. The error of judge,
// which is given the status of all replies, is the error of each document for which no near-duplicate is known, and
// then it is not written.
//
// If r has Tries, all are written, under the names of their groups, and old has the signatures that they replace; the
// error is that of judge. It asks again while a name that a document would found has other members.
func Judge(r NearestRequest, ask func(NearestRequest) (*Answers, error), judge func(*bleve.SearchStatus) error, rule signature.Rule) (
	outcomes []Outcome, admitted []int, old []*signature.Signature, err error,
) {
	r.Rule = rule
	for taken := true; taken; {
		a, err := ask(r)
		if err != nil {
			return nil, nil, nil, err
		}
		partial := judge(&a.status)
		if r.Tries == nil {
			outcomes, admitted = a.outcomes(partial, rule)
			return outcomes, admitted, nil, nil
		}
		if partial != nil {
			return nil, nil, nil, partial
		}
		outcomes, old, taken = a.named(r.Tries, rule)
	}
	for i := range outcomes {
		admitted = append(admitted, i)
	}
	return outcomes, admitted, old, nil
}

func (a *Answers) outcomes(partial error, rule signature.Rule) (outcomes []Outcome, admitted []int) {
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

// named counts in tries the names that are taken.
func (a *Answers) named(tries []uint32, rule signature.Rule) (outcomes []Outcome, old []*signature.Signature, taken bool) {
	written := table.New(rule)
	var before []gate.Name // what written has: the groups
	var signatures []*signature.Signature
	for i, names := range a.all.Names {
		q := &a.request.Queries[i]
		var batch []gate.Name
		for n := range written.Each(q.Signature) {
			if len(batch) > gate.Few {
				break
			}
			of := before[n]
			of.Match, _ = rule.Match(signatures[n], q.Signature)
			batch = append(batch, of)
		}
		names.AddBatch(batch)
		o := Outcome{ID: q.ID, Group: names.Choose()}
		if o.Founded = o.Group == ""; o.Founded {
			o.Group = document(q).Found(tries[i])
			if names.Taken {
				tries[i]++
				taken = true
			}
		}
		group, _ := strconv.ParseUint(o.Group, 16, 64)
		written.Add(q.Signature)
		before, signatures = append(before, gate.Name{Group: group}), append(signatures, q.Signature)
		outcomes, old = append(outcomes, o), append(old, names.Old)
	}
	return outcomes, old, taken
}
