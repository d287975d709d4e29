package plugin

import (
	"context"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// SetPolicy puts an admission policy in force for what is written to x from now on,
// in whatever way, and keeps it with the index: a program that opens the index again is
// judged by it. nil accepts everything. Writes that have begun end under the policy before;
// SetPolicy waits for them. If ctx is done first, it returns the error of ctx.
//
// bleve.NewUsing and bleve.OpenUsing take a policy as well, among the settings of an
// index: indextype.PolicyKey says which of the two counts.
//
// Bleve's own Index and Batch then return an *admission.Rejected, as errors.As finds
// it, if documents were rejected; all others have been written. Submit and
// SubmitBatch return what became of every document.
//
// It returns an error, and changes nothing, if the policy is not valid, if x fingerprints
// no field of the policy's name, or if x is read-only or the policy cannot be written. p
// must not be changed afterwards.
func SetPolicy(ctx context.Context, x bleve.Index, p *admission.Policy) error {
	n, err := inner(x)
	if err != nil {
		return err
	}
	if p != nil {
		if _, err := neardup.Of(x.Mapping(), p.FieldName()); err != nil {
			return err
		}
	}
	return n.SetPolicy(ctx, p)
}
