package plugin

import (
	"context"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

// SetPolicy puts an admission policy in force for all later writes to x, and keeps it with the
// index: it is in force again when a program opens the index. A nil policy accepts everything.
// Writes that have begun end under the old policy; SetPolicy waits for them. If ctx ends
// first, it returns the error of ctx.
//
// bleve.NewUsing and bleve.OpenUsing also take a policy, in the settings of an index:
// indextype.PolicyKey says whether that one or the kept one counts.
//
// If a policy rejects documents, bleve's own Index and Batch write all others and return an
// *admission.Rejected, which errors.As finds. Submit and SubmitBatch return a verdict on every
// document instead.
//
// SetPolicy returns an error and changes nothing if the policy is not valid, if x is read-only,
// or if the policy cannot be written. The same is true if the mapping of x lacks what the policy
// needs: that its field is fingerprinted, by sketches of as many lanes as Rule and KnownRule ask for, with Hidden that the
// field has the char filter "neardup_html". And it is true
// if the policy names a field that by the mapping no document can get, and none has. The caller must not change p afterwards.
func SetPolicy(ctx context.Context, x bleve.Index, p *admission.Policy) error {
	n, err := inner(x)
	if err != nil {
		return err
	}
	return n.SetPolicy(ctx, p)
}
