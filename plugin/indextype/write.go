package indextype

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/calls"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
	"github.com/neardup/bleve-neardup/plugin/internal/purge"
	"github.com/neardup/bleve-neardup/plugin/internal/signing"
	"github.com/neardup/bleve-neardup/plugin/internal/tagging"
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

// Batch writes and deletes documents: either all that the admission policy does not reject, or
// none. It does not change batch. If the policy rejects documents, Batch writes the others and
// returns an *admission.Rejected. If a document has a field with a reserved name, Batch writes
// nothing and returns an error: otherwise the sender of a document could forge signatures.
func (x *Index) Batch(batch *index.Batch) error {
	if batch == nil {
		return errors.New("neardup: wanted a batch, got nil")
	}
	// bleve's Batch has no context, and no place for verdicts: a call has both. It is nil unless package plugin wrote.
	call, internal := calls.Take(batch.InternalOps)
	ctx, dry, tags := context.Background(), false, false
	if call != nil {
		ctx, dry, tags = call.Context, call.Dry, call.Tag != ""
	}
	marks, err := x.checkInternal(internal)
	if err != nil {
		return err
	}
	alone := (marks > 0 || tags) && !dry
	leave, err := x.gate.Enter(ctx, alone)
	if err != nil {
		return err
	}
	defer leave()
	if marks > 0 {
		return x.writeMarks(batch, internal, marks, dry)
	}
	own, err := x.signed(batch)
	if err != nil {
		return err
	}
	maps.Copy(own.InternalOps, internal)
	var verdicts []admission.Verdict
	switch {
	case tags:
		if verdicts, err = tagging.Copies(own, call.Tag, x.gate.Policy(), x.Reader); err != nil {
			return err
		}
	case call != nil || x.gate.Policy() != nil:
		var done func()
		if verdicts, done, err = x.admit(ctx, own, dry); err != nil {
			return err
		}
		defer done()
	}
	if !dry {
		if err := x.keepUses(); err != nil {
			return err
		}
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

// signed returns a batch whose documents sign themselves. The gate must have been entered, so that nobody
// changes what signatures are made without before the batch is written.
func (x *Index) signed(batch *index.Batch) (own *index.Batch, err error) {
	own = index.NewBatch()
	own.SetPersistedCallback(batch.PersistedCallback())
	leftOut := x.leaving.All()
	for id, doc := range batch.IndexOps {
		if doc == nil {
			own.IndexOps[id] = nil
		} else if own.IndexOps[id], err = signing.Sign(doc, leftOut, &x.counts); err != nil {
			return nil, err
		}
	}
	return own, nil
}

// rejected is the error for the documents that were rejected, or nil if none was.
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

// admit judges the documents of a batch, takes rejected documents out of the batch, and tags
// others. done must be called after the batch was written.
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
	signing.Describe(p, docs)
	a, err := x.gate.Judge(ctx, docs, deletes, dry)
	if err != nil {
		return nil, nil, err
	}
	for i, v := range a.Verdicts {
		d, ok := batch.IndexOps[v.ID].(*signing.Document)
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
			d.Keep(signature.TimeField(p.FieldName()), []byte(at))
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

// write gives a batch to scorch, unless it is empty. It recovers from scorch's panics: after a
// write that failed because the disk was full, scorch panics until there is room again.
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
			err = fmt.Errorf("neardup: scorch failed to write, perhaps because an earlier write could not be kept: %v", p)
		}
	}()
	if err = x.Scorch.Batch(batch); err == nil {
		x.unsigned.Add(unsigned(batch))
	}
	return err
}

// unsigned counts the documents of an analysed batch that have no signature.
func unsigned(batch *index.Batch) (n uint64) {
	for _, doc := range batch.IndexOps {
		deletion := doc == nil
		if !deletion && doc.ID() != purge.ID && signing.Unsigned(doc) {
			n++
		}
	}
	return n
}
