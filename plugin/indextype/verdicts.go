package indextype

import (
	"context"
	"maps"
	"slices"
	"time"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
	"github.com/neardup/bleve-neardup/plugin/internal/signing"
)

// judge has the gate judge the documents of a batch, and returns the verdicts in the order of the ids. Then it does what the verdicts
// say: it tags documents and gives them their groups, takes the rejected ones out of the batch, and deletes what others replace. If dry is set, other batches
// learn nothing of this one. done must be called after the batch was written.
func (x *Index) judge(ctx context.Context, batch *index.Batch, groups map[string]string, dry bool) (verdicts []admission.Verdict, done func(), err error) {
	p := x.Policy()
	if p == nil {
		p = new(admission.Policy)
	}
	var docs []*gate.Document
	var deletes []string
	for _, id := range slices.Sorted(maps.Keys(batch.IndexOps)) {
		if doc := batch.IndexOps[id]; doc == nil {
			deletes = append(deletes, id)
		} else {
			docs = append(docs, &gate.Document{ID: id, Document: doc, Group: groups[id]})
		}
	}
	marked, err := false, error(nil)
	if len(docs) > 0 {
		marked, err = x.marks.Any()
	}
	if err != nil {
		return nil, nil, err
	}
	signing.Describe(p, docs, marked)
	a, err := x.gate.Judge(ctx, p, docs, deletes, dry)
	if err != nil {
		return nil, nil, err
	}
	if !dry {
		x.count(a.Verdicts)
	}
	for i, v := range a.Verdicts {
		d, ok := batch.IndexOps[v.ID].(*signing.Document)
		if ok {
			d.Say(admission.GroupField, v.Group)
		}
		switch {
		case v.Action == admission.Reject:
			delete(batch.IndexOps, v.ID)
			continue
		case !ok || !d.Fingerprinted():
			continue
		case v.Action == admission.Tag:
			d.Tag(v)
		}
		if gate.Timed(p) {
			at := docs[i].Time.UTC().Format(time.RFC3339Nano)
			d.Keep(signature.Field(gate.FieldOf(p)).Time(), []byte(at))
		}
	}
	for _, id := range a.Deletes {
		if _, written := batch.IndexOps[id]; !written {
			batch.IndexOps[id] = nil
		}
	}
	return a.Verdicts, a.Close, nil
}
