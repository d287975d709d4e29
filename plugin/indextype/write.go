package indextype

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/calls"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// Update writes one document.
func (x *Index) Update(doc index.Document) error {
	if doc == nil {
		return errors.New("neardup: wanted a document, got nil")
	}
	b := index.NewBatch()
	b.Update(doc)
	return x.Batch(b)
}

// Batch writes and deletes documents, all or none of them but for those that the
// admission policy rejects. It does not change batch. It returns an error, and writes
// nothing, if a document has a field with one of the reserved names: else the sender
// of a document could forge signatures. If documents were rejected, it returns an
// *admission.Rejected when all others are written.
func (x *Index) Batch(batch *index.Batch) error {
	if batch == nil {
		return errors.New("neardup: wanted a batch, got nil")
	}
	own := index.NewBatch()
	own.SetPersistedCallback(batch.PersistedCallback())
	ctx := context.Background() // bleve's Batch has none
	call, internal := calls.Take(batch.InternalOps)
	if own.InternalOps = internal; call != nil {
		ctx = call.Context
	}
	rules, err := x.ruling(own.InternalOps)
	if err != nil {
		return err
	}
	for id, doc := range batch.IndexOps {
		if doc == nil {
			own.IndexOps[id] = nil
			continue
		}
		d, err := sign(doc, &x.counts)
		if err != nil {
			return err
		}
		own.IndexOps[id] = d
	}
	dry := call != nil && call.Dry
	leave, err := x.gate.Enter(ctx, rules && !dry)
	if err != nil {
		return err
	}
	defer leave()
	var verdicts []admission.Verdict
	if call != nil || x.gate.Policy() != nil {
		var done func()
		if verdicts, done, err = x.admit(ctx, own, dry); err != nil {
			return err
		}
		defer done()
	}
	if !dry {
		if err := x.write(own); err != nil {
			return err
		}
	}
	if call != nil {
		call.Verdicts = verdicts
		return nil
	}
	return rejected(verdicts)
}

// rejected is the error of a batch of which some documents were rejected.
func rejected(verdicts []admission.Verdict) error {
	var r admission.Rejected
	for _, v := range verdicts {
		if v.Action == admission.Reject {
			r.Verdicts = append(r.Verdicts, v)
		}
	}
	if r.Verdicts == nil {
		return nil
	}
	return &r
}

// admit judges the documents of a batch, takes those that are rejected out of it, and
// tags others. done must be called when the batch was written.
func (x *Index) admit(ctx context.Context, batch *index.Batch, dry bool) (verdicts []admission.Verdict, done func(), err error) {
	p := x.gate.Policy()
	if p == nil {
		p = new(admission.Policy)
	}
	var docs []*gate.Document
	var deletes []string
	for _, id := range slices.Sorted(maps.Keys(batch.IndexOps)) {
		if doc := batch.IndexOps[id]; doc == nil {
			deletes = append(deletes, id)
		} else {
			docs = append(docs, &gate.Document{ID: id, Document: doc})
		}
	}
	describe(p, docs)
	a, err := x.gate.Judge(ctx, docs, deletes, dry)
	if err != nil {
		return nil, nil, err
	}
	for i, v := range a.Verdicts {
		d, ok := batch.IndexOps[v.ID].(*signed)
		switch {
		case v.Action == admission.Reject:
			delete(batch.IndexOps, v.ID)
			continue
		case !ok || len(d.sources) == 0:
			continue
		case v.Action == admission.Tag:
			d.tag(v)
		}
		if gate.Timed(p) {
			at := docs[i].Time.UTC().Format(time.RFC3339Nano)
			d.fields = append(d.fields, newStored(signature.TimeField(p.FieldName()), func() []byte { return []byte(at) }))
		}
	}
	for _, id := range a.Deletes {
		if _, written := batch.IndexOps[id]; !written {
			batch.IndexOps[id] = nil
		}
	}
	return a.Verdicts, a.Close, nil
}

// Delete deletes one document.
func (x *Index) Delete(id string) error {
	b := index.NewBatch()
	b.Delete(id)
	return x.Batch(b)
}

// SetInternal writes an internal value.
func (x *Index) SetInternal(key, value []byte) error {
	b := index.NewBatch()
	b.SetInternal(key, value)
	return x.Batch(b)
}

// DeleteInternal deletes an internal value.
func (x *Index) DeleteInternal(key []byte) error {
	b := index.NewBatch()
	b.DeleteInternal(key)
	return x.Batch(b)
}

// write hands a batch to scorch, if there is anything in it. After a write that failed as
// the disk was full scorch panics in the next ones, until it has room again.
func (x *Index) write(batch *index.Batch) (err error) {
	if len(batch.IndexOps) == 0 && len(batch.InternalOps) == 0 && batch.PersistedCallback() == nil {
		return nil
	}
	if x.closed.Load() {
		return ErrClosed
	}
	if x.readOnly {
		return errReadOnly
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("neardup: scorch failed to write, perhaps as a write before could not be kept: %v", p)
		}
		for key := range batch.InternalOps {
			if strings.HasPrefix(key, gate.MarkPrefix) {
				x.gate.ForgetMarks()
				break
			}
		}
	}()
	if err = x.Scorch.Batch(batch); err == nil {
		x.counts.unsigned.Add(unsigned(batch))
	}
	return err
}

// unsigned counts the documents of a batch that have no signature, once they were analysed.
func unsigned(batch *index.Batch) (n uint64) {
	for _, doc := range batch.IndexOps {
		if doc == nil || doc.ID() == purgeID { // deleted, or there only for a moment
			continue
		}
		if s, ok := doc.(*signed); ok && s.signs() || synonyms(doc) {
			continue
		}
		n++
	}
	return n
}
