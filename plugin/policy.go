package plugin

import (
	"context"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

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
