package plugin

import (
	"context"
	"errors"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// Submit writes one document, as bleve's Index does, and returns the verdict on it. A
// rejected document is not an error. If ctx ends while Submit waits for other writes, Submit
// returns the error of ctx and writes nothing.
func Submit(ctx context.Context, x bleve.Index, id string, data any) (admission.Verdict, error) {
	verdicts, err := send(ctx, x, false, func(b *bleve.Batch) error { return b.Index(id, data) })
	if err != nil {
		return admission.Verdict{}, err
	}
	return verdicts[0], nil
}

// SubmitBatch writes a batch, as bleve's Batch does, and returns the verdicts on its documents in the order of their
// ids. It judges them in this order, or with admission.Replace the best first, each against the index and the documents
// before it. Rejected documents are not an error. The batch does not change and can be sent again. ctx is used as in
// Submit.
func SubmitBatch(ctx context.Context, x bleve.Index, batch *bleve.Batch) ([]admission.Verdict, error) {
	return send(ctx, x, false, copyOf(batch))
}

// DryRun returns the verdicts that SubmitBatch would return, and writes nothing. The batch does
// not change.
func DryRun(ctx context.Context, x bleve.Index, batch *bleve.Batch) ([]admission.Verdict, error) {
	return send(ctx, x, true, copyOf(batch))
}

// copyOf fills a batch with what another has, which stays as it is.
func copyOf(batch *bleve.Batch) func(*bleve.Batch) error {
	return func(own *bleve.Batch) error {
		if batch == nil {
			return errors.New("plugin: wanted a batch, got nil")
		}
		own.Merge(batch)
		own.SetPersistedCallback(batch.PersistedCallback())
		return nil
	}
}

// send writes through bleve what fill puts in a batch, or only has it judged if dry is set.
func send(ctx context.Context, x bleve.Index, dry bool, fill func(*bleve.Batch) error) ([]admission.Verdict, error) {
	if _, err := Of(x); err != nil {
		return nil, err
	}
	if ctx == nil {
		return nil, errors.New("plugin: wanted a context, got nil")
	}
	b := x.NewBatch()
	if err := fill(b); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return (&gate.Call{Context: ctx, Dry: dry}).Send(b.SetInternal, func() error { return x.Batch(b) })
}

// SetPolicy puts an admission policy in force for all later writes to x, and keeps it with the
// index: it is in force again when a program opens the index. A nil policy accepts everything.
// SetPolicy waits for writes that have begun, which end under the old policy, or returns the error of ctx.
//
// If a policy rejects documents, bleve's own Index and Batch write all others and return an
// *admission.Rejected, which errors.As finds. Submit and SubmitBatch return a verdict on every
// document instead.
//
// SetPolicy returns an error and changes nothing if x is read-only, or the policy cannot be written or is not valid. A
// policy is not valid either if the mapping of x lacks what it needs: a field that is fingerprinted, by sketches of as
// many lanes as Rule and KnownRule ask for, and that has the char filter "neardup_html" if Hidden is set. Nor may it
// name a field that by the mapping no document can get, and none has, or one that the mapping makes of another kind: Time
// takes a datetime field, Prefer a stored one, and the others an indexed one. After an error that wraps scorch.ErrPersist, of a
// full disk, the policy might be in force when x is opened again. The caller must not change p afterwards.
func SetPolicy(ctx context.Context, x bleve.Index, p *admission.Policy) error {
	n, err := Of(x)
	if err != nil {
		return err
	}
	return n.SetPolicy(ctx, p)
}
