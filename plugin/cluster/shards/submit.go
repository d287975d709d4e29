package shards

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/blevesearch/bleve/v2"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/leftout"
	"github.com/neardup/bleve-neardup/plugin/cluster/internal/rpc"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// Document is a document to write, as bleve's Index takes it.
type Document struct {
	ID   string
	Data any
}

// Outcome is what became of a document that was submitted.
type Outcome = rpc.Outcome

// Submit writes each of some documents to its shard, unless a near-duplicate is on any shard, or was written before it
// in the same call: all are looked up with one request to each shard. A document is no near-duplicate of the one that
// it replaces; else it is compared with what there was before the call. One call goes after the other, so of
// near-duplicates that come at once one is written. With Options.Group all are written and named, each with regard to
// those before it. The error is the error of the first outcome that has one.
func (s *Set) Submit(ctx context.Context, docs ...Document) ([]Outcome, error) {
	if ctx == nil {
		return nil, errors.New("shards: wanted a context, got nil")
	}
	s.admit.Lock()
	defer s.admit.Unlock()
	r := rpc.NearestRequest{Field: s.options.Field}
	if s.options.Group {
		r.Tries = make([]uint32, len(docs))
	}
	ask := func(r rpc.NearestRequest) (*rpc.Answers, error) { return s.lookup(ctx, docs, r) }
	outcomes, admitted, _, err := rpc.Judge(r, ask, s.options.Partial.Judge, s.options.Rule)
	if err != nil {
		return nil, err
	}
	s.write(docs, admitted, outcomes)
	for i := range outcomes {
		if outcomes[i].Err != nil {
			return outcomes, fmt.Errorf("shards: document %q: %w", outcomes[i].ID, outcomes[i].Err)
		}
	}
	return outcomes, nil
}

// lookup signs documents as the shards do, and asks all shards for the best near-duplicates. Each
// answers with what it leaves out of signatures, too. If that is not what they were signed with,
// because it was never asked for or has changed, they are signed again.
func (s *Set) lookup(ctx context.Context, docs []Document, r rpc.NearestRequest) (answers *rpc.Answers, err error) {
	for round := 0; ; round++ {
		if r.Queries, err = s.sign(docs); err != nil {
			return nil, err
		}
		answers, ids := s.nearest(ctx, r)
		switch {
		case len(ids) == 0 || len(ids) == 1 && ids[0] == s.templates.ID():
			return answers, nil
		case len(ids) > 1 || round > 1:
			return nil, fmt.Errorf("shards: field %q: wanted shards that leave the same templates out of signatures, got the ids %q", s.options.Field, ids)
		}
		if s.templates, err = indexes.OneTemplates(s.alias, s.options.Field); err != nil {
			return nil, fmt.Errorf("shards: %w", err)
		}
	}
}

// sign makes a query for the near-duplicates of each document.
func (s *Set) sign(docs []Document) ([]near.SimilarQuery, error) {
	left := func(doc index.Document) *template.Set { return s.templates.For(leftout.Texts(doc)) }
	signed := make([]near.SimilarQuery, len(docs))
	seen := make(map[string]bool, len(docs))
	for i, d := range docs {
		if d.ID == "" || seen[d.ID] {
			return nil, fmt.Errorf("shards: wanted documents with ids of their own, got %q among them", d.ID)
		}
		seen[d.ID] = true
		if d.Data == nil {
			return nil, fmt.Errorf("shards: document %q: wanted data, got nil: Write deletes", d.ID)
		}
		sig, err := neardup.SignDocument(s.alias.Mapping(), s.options.Field, d.Data, left)
		if err != nil {
			return nil, fmt.Errorf("shards: document %q: %w", d.ID, err)
		}
		signed[i] = near.SimilarQuery{Signature: sig, ID: d.ID, Field: s.options.Field, Rule: s.options.Rule.Explicit(sig.Lanes)}
	}
	return signed, nil
}

// Write writes documents unchecked, each to its shard, and deletes those whose Data is
// nil.
func (s *Set) Write(docs ...Document) error {
	places := make([]int, len(docs))
	for i := range places {
		places[i] = i
	}
	return s.write(docs, places, make([]Outcome, len(docs)))
}

// write writes the documents at these places to their shards. The error is that of all shards.
func (s *Set) write(docs []Document, places []int, outcomes []Outcome) error {
	parts := map[bleve.Index][]int{}
	for _, i := range places {
		x := s.Owner(docs[i].ID)
		parts[x] = append(parts[x], i)
	}
	var all sync.WaitGroup
	for x, of := range parts {
		all.Go(func() {
			batch, groups := make(map[string]any, len(of)), map[string]string{}
			for _, i := range of {
				batch[docs[i].ID] = docs[i].Data
				if outcomes[i].Group != "" {
					groups[docs[i].ID] = outcomes[i].Group
				}
			}
			err := write(x, batch, groups)
			for _, i := range of {
				outcomes[i].Written, outcomes[i].Err = err == nil, err
			}
		})
	}
	all.Wait()
	var errs []error
	for _, of := range parts {
		errs = append(errs, outcomes[of[0]].Err)
	}
	return errors.Join(errs...)
}

// nearest asks all shards. A shard that lacks an answer to
// one query has not answered. ids name what those that answer leave out of signatures, each once.
func (s *Set) nearest(ctx context.Context, r rpc.NearestRequest) (answers *rpc.Answers, ids []string) {
	answers = rpc.NewAnswers(r)
	var all sync.WaitGroup
	var mu sync.Mutex
	for _, x := range s.shards {
		all.Go(func() {
			a, err := nearest(ctx, x, r)
			answers.Add(x.Name(), a, err)
			if err == nil {
				mu.Lock()
				defer mu.Unlock()
				ids = append(ids, a.Templates)
			}
		})
	}
	all.Wait()
	slices.Sort(ids)
	return answers, slices.Compact(ids)
}

func nearest(ctx context.Context, x bleve.Index, r rpc.NearestRequest) (a rpc.NearestAnswer, err error) {
	if remote, ok := x.(*Remote); ok {
		a, err = remote.asked().Nearest(ctx, r)
		for _, hit := range a.Hits {
			if hit != nil {
				hit.Index = x.Name()
			}
		}
		return a, err
	}
	// Before the lookup: if they change meanwhile, the next answer says so.
	sets, err := indexes.OneTemplates(x, cmp.Or(r.Field, signature.DefaultField))
	if err != nil {
		return a, err
	}
	a, err = r.Answer(ctx, x)
	a.Templates = sets.ID()
	return a, err
}
