package plugin

import (
	"context"
	"errors"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/calls"
)

// Submit writes one document, as bleve's Index does, and returns what became of it.
// A document that is rejected is no error. If ctx is done while Submit waits for what is
// written at the same time, it returns the error of ctx and writes nothing.
func Submit(ctx context.Context, x bleve.Index, id string, data any) (admission.Verdict, error) {
	if _, err := inner(x); err != nil {
		return admission.Verdict{}, err
	}
	b := x.NewBatch()
	if err := b.Index(id, data); err != nil {
		return admission.Verdict{}, err
	}
	verdicts, err := SubmitBatch(ctx, x, b)
	if err != nil {
		return admission.Verdict{}, err
	}
	return verdicts[0], nil
}

// SubmitBatch writes a batch, as bleve's Batch does, and returns what became of its
// documents, in the order of their ids. They are judged in this order, each against
// the index and against the documents before it. Documents that are rejected are no error.
// The batch stays as it was, and may be sent again. ctx is as in Submit.
func SubmitBatch(ctx context.Context, x bleve.Index, batch *bleve.Batch) ([]admission.Verdict, error) {
	return send(ctx, x, batch, false)
}

// DryRun returns what would become of the documents of a batch, and writes nothing. The
// batch stays as it was.
func DryRun(ctx context.Context, x bleve.Index, batch *bleve.Batch) ([]admission.Verdict, error) {
	return send(ctx, x, batch, true)
}

// send sends a copy of a batch through bleve, whose Batch has no place for a context or for
// verdicts.
func send(ctx context.Context, x bleve.Index, batch *bleve.Batch, dry bool) ([]admission.Verdict, error) {
	if _, err := inner(x); err != nil {
		return nil, err
	}
	if ctx == nil {
		return nil, errors.New("plugin: wanted a context, got nil")
	}
	if batch == nil {
		return nil, errors.New("plugin: wanted a batch, got nil")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c := calls.Begin(ctx, dry)
	defer c.End()
	own := x.NewBatch()
	own.Merge(batch)
	own.SetPersistedCallback(batch.PersistedCallback())
	own.SetInternal(c.Key, []byte{})
	if err := x.Batch(own); err != nil {
		return nil, err
	}
	return c.Verdicts, nil
}
