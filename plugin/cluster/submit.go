package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/cluster/internal/rpc"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// ErrUnknown: the log did not say whether it has the document. To submit it again, under
// the same id, does no harm.
var ErrUnknown = errors.New("it is not known whether the document was written")

// MaxDocuments is how many documents one Submit takes, MaxDocument how many bytes of JSON
// each may have, and MaxID how many bytes an id: records must stay below the megabyte that
// logs take.
const (
	MaxDocuments = 1000
	MaxDocument  = 512 << 10
	MaxID        = 64 << 10
)

// submission is one document on its way.
type submission struct {
	doc     Document
	data    json.RawMessage
	query   near.SimilarQuery
	old     *signature.Signature // that is in the index, as far as is known
	outcome *Outcome
	seq     uint64 // of its record, 0 if it has none
}

// Submit writes each document unless a near-duplicate is in the index, came before it in the
// same call, or comes at the same time through another node and is first. A document that is
// Written is in the log, and in the index as soon as copies have read the log. The error is
// the one of the first outcome that has one. Where it wraps ErrUnknown, submit that document
// again.
func (n *Node) Submit(ctx context.Context, docs ...Document) ([]Outcome, error) {
	ctx, cancel, err := n.while(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	outcomes, rest, err := n.submissions(docs)
	if err != nil {
		return nil, rpc.Reject(err)
	}
	n.admit(ctx, rest)
	for i := range outcomes {
		if outcomes[i].Err != nil {
			return outcomes, fmt.Errorf("cluster: document %q: %w", outcomes[i].ID, outcomes[i].Err)
		}
	}
	return outcomes, nil
}

// submissions makes documents ready, or returns why one of them cannot be submitted.
func (n *Node) submissions(docs []Document) (outcomes []Outcome, all []*submission, err error) {
	if len(docs) > MaxDocuments {
		return nil, nil, fmt.Errorf("cluster: wanted %d documents at most in one call, got %d", MaxDocuments, len(docs))
	}
	outcomes = make([]Outcome, len(docs))
	scratch := n.scratch.NewBatch()
	seen := map[string]bool{}
	for i, d := range docs {
		if !validID(d.ID) || seen[d.ID] {
			return nil, nil, fmt.Errorf("cluster: wanted documents with ids of their own of 1 to %d bytes of UTF-8, got %.60q (%d bytes) among them", MaxID, d.ID, len(d.ID))
		}
		seen[d.ID] = true
		outcomes[i].ID = d.ID
		data, sig, err := n.prepare(d, scratch)
		if err != nil {
			return nil, nil, fmt.Errorf("cluster: document %q: %w", d.ID, err)
		}
		all = append(all, &submission{doc: d, data: data, query: n.query(d.ID, sig), outcome: &outcomes[i]})
	}
	_, err = plugin.DryRun(context.Background(), n.scratch, scratch)
	return outcomes, all, err
}

// validID reports whether the log can carry an id: JSON would make another of one that is no UTF-8.
func validID(id string) bool { return id != "" && len(id) <= MaxID && utf8.ValidString(id) }

// query is what is asked about a document.
func (n *Node) query(id string, sig *signature.Signature) near.SimilarQuery {
	return near.SimilarQuery{Signature: sig, ID: id, Field: n.options.Field, Rule: n.options.Rule.Explicit(sig.Lanes)}
}

// maxRevoked is how often claims for the same documents are revoked before these have an error.
const maxRevoked = 5

// admit decides about documents, and writes them.
func (n *Node) admit(ctx context.Context, rest []*submission) {
	for revoked := 0; len(rest) > 0; {
		again, err := n.round(ctx, rest)
		if errors.Is(err, errRevoked) {
			if revoked++; revoked < maxRevoked && ctx.Err() == nil {
				continue
			}
			err = cmp.Or(context.Cause(ctx), fmt.Errorf("cluster: wanted a decision within %v, half of Expiry, got none in time, tried %d times: does a node hang?",
				n.options.Expiry/2, revoked))
		}
		if err != nil {
			for _, s := range again {
				s.outcome.Err = err
			}
			return
		}
		rest = again // void, because their claim had been revoked
	}
}

// prepare returns what is logged of a document, and its signature. It adds the document to a batch
// that a dry run checks: a document that copies cannot index would block every record after it.
func (n *Node) prepare(d Document, scratch *bleve.Batch) (json.RawMessage, *signature.Signature, error) {
	data, err := json.Marshal(d.Data)
	if err != nil {
		return nil, nil, err
	}
	var read any // what copies make of it
	if err := json.Unmarshal(data, &read); err != nil {
		return nil, nil, err
	}
	if read == nil || len(data) > MaxDocument {
		return nil, nil, fmt.Errorf("wanted one of at most %d bytes of JSON, and not null, got %d bytes", MaxDocument, len(data))
	}
	if err := scratch.Index(d.ID, read); err != nil {
		return nil, nil, err
	}
	sig, err := neardup.SignDocument(n.options.Mapping, n.options.Field, read, nil)
	return data, sig, err
}

// round claims the signatures of all documents, looks for near-duplicates, and writes the rest. It returns
// the documents that are to be judged again, because the claim was revoked. With an error they are the documents that have it.
func (n *Node) round(ctx context.Context, all []*submission) (again []*submission, err error) {
	claim := new(claimed)
	var queries []near.SimilarQuery
	for _, s := range all {
		s.seq = 0
		*s.outcome = Outcome{ID: s.doc.ID}
		queries = append(queries, s.query)
		for _, sig := range []*signature.Signature{s.query.Signature, s.old} {
			if sig != nil && sig.Tokens > 0 {
				claim.Signatures = append(claim.Signatures, sig)
			}
		}
		if n.options.Group {
			claim.IDs = append(claim.IDs, rpc.Sum([]byte(s.doc.ID)))
		}
	}
	began := time.Now()
	own, err := n.claims.take(ctx, claim)
	var at uint64
	if err == nil {
		at, err = n.claims.mark(ctx, SubjectMarks, 0)
	}
	var parts int
	var admitted []*submission
	if err == nil {
		parts, admitted, err = n.judge(ctx, rpc.NearestRequest{At: at, Queries: queries, Field: n.options.Field}, all)
	}
	if err == nil && time.Since(began) > n.options.Expiry/2 { // others might revoke the claim before the documents are in the log
		err = errRevoked
	}
	if err != nil {
		if own > 0 { // nothing was written, so the claim is over
			if over := n.end(ctx, SubjectMarks, own); errors.Is(err, errUnclaimed) {
				err = over
			}
		}
		return all, err
	}
	if err := n.write(ctx, own, admitted, parts); err != nil {
		n.end(ctx, SubjectRevoked, own) // what gets into the log after that does not count
		unknown(admitted, err)
		return nil, nil
	}
	return n.finish(ctx, own, admitted)
}

// errUnclaimed: the claim lacks old signatures, which the submissions have now.
var errUnclaimed = errors.New("cluster: the claim lacks old signatures")

// judge asks all partitions, sets the outcomes, and returns what is to be written.
func (n *Node) judge(ctx context.Context, r rpc.NearestRequest, all []*submission) (parts int, admitted []*submission, err error) {
	if n.options.Group {
		r.Tries = make([]uint32, len(all))
	}
	ask := func(r rpc.NearestRequest) (answers *rpc.Answers, err error) {
		parts, answers = n.scatter(ctx, r)
		return answers, nil
	}
	outcomes, places, old, err := rpc.Judge(r, ask, n.options.Partial.Judge, n.options.Rule)
	if err != nil {
		return 0, nil, err
	}
	for i, s := range all {
		*s.outcome = outcomes[i]
		if old == nil || old[i] == nil || old[i].Exact == s.query.Signature.Exact || s.old != nil && old[i].Exact == s.old.Exact {
			continue
		}
		s.old, err = old[i], errUnclaimed
	}
	for _, i := range places {
		admitted = append(admitted, all[i])
	}
	return parts, admitted, err
}

// finish releases a claim whose documents are in the log, and returns those that do not
// count.
func (n *Node) finish(ctx context.Context, own uint64, admitted []*submission) (again []*submission, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), n.options.Timeout)
	defer cancel()
	at, err := n.claims.mark(ctx, SubjectMarks, own)
	if err == nil {
		err = n.claims.reach(ctx, at)
	}
	if err != nil {
		unknown(admitted, err)
		return nil, nil
	}
	revoked := n.claims.revokedAt(own)
	for _, s := range admitted {
		if revoked > 0 && revoked < s.seq {
			again = append(again, s)
		}
	}
	return again, nil
}

func unknown(all []*submission, err error) {
	for _, s := range all {
		s.outcome.Written, s.outcome.Err = false, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
}

// end ends a claim of this node's by a mark, also if ctx is done: others wait for it.
func (n *Node) end(ctx context.Context, subject string, own uint64) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), n.options.Timeout)
	defer cancel()
	_, err := n.claims.mark(ctx, subject, own)
	return err
}

// scatter asks all partitions, with one request to each node.
func (n *Node) scatter(ctx context.Context, r rpc.NearestRequest) (parts int, answers *rpc.Answers) {
	answers = rpc.NewAnswers(r)
	groups, err := n.groups()
	if err != nil {
		answers.Add(n.options.Name, rpc.NearestAnswer{}, err)
		return 0, answers
	}
	for _, g := range groups {
		parts += len(g.parts)
	}
	each(groups, func(g *group) { g.ask(ctx, r, answers.Add) })
	return parts, answers
}
