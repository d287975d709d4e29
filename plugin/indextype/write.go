package indextype

import (
	"context"
	"errors"
	"maps"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/engine"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
	"github.com/neardup/bleve-neardup/plugin/internal/signing"
)

// Batch writes and deletes documents: either all that the admission policy does not reject, or none. It does not change
// batch. If the policy rejects documents, Batch writes the others and returns an *admission.Rejected. A document with a
// field of a reserved name, which could forge a signature, or with the id that Purge uses, is an error, and nothing is
// written.
//
// After an error that wraps scorch.ErrPersist, of a full disk, this batch, or those before it, is in memory, where
// searches find it, and comes to the disk if there is room before the process ends. Nothing else is written until then.
func (x *Index) Batch(batch *index.Batch) error {
	if batch == nil {
		return errors.New("neardup: wanted a batch, got nil")
	}
	// bleve's Batch has no context, and no place for verdicts: a call has both. It is nil if the program wrote by bleve's own functions.
	call, internal := gate.Take(batch.InternalOps)
	ctx, dry, groups := context.Background(), false, map[string]string(nil)
	if call != nil {
		ctx, dry, groups = call.Context, call.Dry, call.Groups
	}
	if err := x.check(internal); err != nil {
		return err
	}
	leave, err := x.gate.Enter(ctx, false)
	if err != nil {
		return err
	}
	defer leave()
	if _, ok := batch.IndexOps[engine.PurgeID]; ok {
		return signing.Wrong("neardup: document %q: wanted another id, this one is for Purge", engine.PurgeID)
	}
	own, err := signing.Batch(batch, x.Templates(), x.counts)
	if err != nil {
		return err
	}
	maps.Copy(own.InternalOps, internal)
	var verdicts []admission.Verdict
	if call != nil || x.Policy() != nil { // a call has verdicts without a policy, too
		var done func()
		if verdicts, done, err = x.judge(ctx, own, groups, dry); err != nil {
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
	return gate.Rejected(verdicts)
}

// write gives a batch to scorch, unless nothing is left of it. It keeps the uses of marks first: so with an error of
// theirs no document was written. Nor are documents rejected for the sake of others that are not on disk.
func (x *Index) write(batch *index.Batch) error {
	if err := x.Writable(); err != nil {
		return err
	}
	if err := x.marks.KeepUses(false); err != nil {
		return err
	}
	if len(batch.IndexOps) == 0 && len(batch.InternalOps) == 0 && batch.PersistedCallback() == nil {
		return nil
	}
	if err := x.Engine.Batch(batch); err != nil {
		return err
	}
	x.counts.Add("unsigned", signing.Unsigned(batch))
	return nil
}

// Update writes one document.
func (x *Index) Update(doc index.Document) error {
	if doc == nil {
		return errors.New("neardup: wanted a document, got nil")
	}
	b := index.NewBatch()
	b.Update(doc)
	return x.Batch(b)
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
