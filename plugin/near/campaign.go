package near

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/verify"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/backfill"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// CampaignRequest says which campaign. In JSON an id that is not UTF-8 is {"base64": "..."}.
type CampaignRequest struct {
	// ID is the id of one of its documents: Verdict.Of of a document that a flood rejected.
	ID string `json:"id"`

	// From and To leave out documents that were sent before From, or at To or later, or of which
	// the index does not know when they were sent. A zero time leaves out none.
	From time.Time `json:"from,omitzero"`
	To   time.Time `json:"to,omitzero"`
}

// Copy is a document of a campaign. In JSON an id that is not UTF-8 is {"base64": "..."}.
type Copy struct {
	ID    string          `json:"id"`
	Match signature.Match `json:"match"` // with the document of CampaignRequest.ID

	// Sent is when it was sent, zero if the index does not know: it does if a flood was in force.
	Sent time.Time `json:"sent,omitzero"`

	// Tag is the part of the policy that has tagged it, "campaign" if TagCampaign did, and empty
	// if it has no tag.
	Tag string `json:"tag,omitempty"`
}

// Campaign lists the copies of one text that an index has, such as what got in of a campaign before a flood
// stopped the rest of it: the document of r.ID and all its near-duplicates, by the rule, the field and the scope
// of the policy that is in force, in the order in which they were sent, then of their ids. It
// misses none.
func Campaign(ctx context.Context, x bleve.Index, r CampaignRequest) (all []Copy, err error) {
	n, err := plugin.Of(x)
	if err != nil {
		return nil, err
	}
	if ctx == nil {
		return nil, errors.New("near: wanted a context, got nil")
	}
	p := n.Policy()
	if p == nil {
		p = new(admission.Policy)
	}
	reader, err := n.Reader()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	q := SimilarQuery{Field: p.Field, Rule: p.Rule}
	f, err := q.finder(ctx, reader, x.Mapping())
	if err != nil {
		return nil, err
	}
	number, err := f.number(r.ID)
	if err != nil {
		return nil, err
	}
	if number == nil {
		return nil, fmt.Errorf("near: campaign: id %q: %w", r.ID, ErrNotFound)
	}
	sig, err := f.signature(r.ID, number.Value())
	if err != nil {
		return nil, err
	}
	if p.Scope != "" {
		scopes, err := f.signatures.Scopes(p.Scope)
		if err != nil {
			return nil, err
		}
		f.scope.field, f.scope.terms = p.Scope, scopes(number.Value())
	}
	var failed error
	err = f.find(sig, nil, func(doc uint64, _ *signature.Signature, v verify.Finding) {
		c, err := f.copy(doc)
		failed = cmp.Or(failed, err)
		c.Match = v.Match
		early := !r.From.IsZero() && (c.Sent.IsZero() || c.Sent.Before(r.From))
		late := !r.To.IsZero() && (c.Sent.IsZero() || !c.Sent.Before(r.To))
		if !early && !late {
			all = append(all, c)
		}
	})
	slices.SortFunc(all, func(a, b Copy) int { return cmp.Or(a.Sent.Compare(b.Sent), strings.Compare(a.ID, b.ID)) })
	return all, cmp.Or(err, failed)
}

// copy reads what is known of a document.
func (f *finder) copy(doc uint64) (c Copy, err error) {
	if c.ID, err = f.id(doc); err != nil {
		return c, err
	}
	err = f.signatures.Visit(doc, func(name string, value []byte) bool {
		switch name {
		case admission.TagField:
			c.Tag = string(value)
		case signature.Field(f.field).Time():
			c.Sent, _ = time.Parse(time.RFC3339Nano, string(value)) // zero if this library did not write it
		}
		return true
	})
	return c, err
}

// TagCampaign lists a campaign as Campaign does, and writes those of its documents that have no tag again, with
// the tag "campaign". They are not judged anew, and keep their time. bleve cannot add a
// field to a document, so TagCampaign needs what the application wrote: source returns it, nil for a
// document that is to stay as it is. If source is nil, documents are rebuilt from their stored
// fields (package plugin/backfill), which is an error where these do not hold everything.
//
// A document that was deleted meanwhile stays away, and one whose text or stored fields are not as source has them,
// since they were changed meanwhile, stays as it is and untagged. All are written, or none.
func TagCampaign(ctx context.Context, x bleve.Index, r CampaignRequest,
	source func(ctx context.Context, id string) (any, error),
) ([]Copy, error) {
	all, err := Campaign(ctx, x, r)
	if err != nil {
		return nil, err
	}
	if source == nil {
		rebuilt, done, err := backfill.Rebuilt(x)
		if err != nil {
			return nil, err
		}
		defer done()
		source = rebuilt
	}
	b := x.NewBatch()
	for _, d := range all {
		if d.Tag != "" {
			continue
		}
		data, err := source(ctx, d.ID)
		if err != nil {
			return nil, fmt.Errorf("near: document %q: %w", d.ID, err)
		}
		if data == nil {
			continue
		}
		if err := b.Index(d.ID, data); err != nil {
			return nil, fmt.Errorf("near: document %q: %w", d.ID, err)
		}
	}
	if b.Size() == 0 {
		return all, nil
	}
	c := gate.Begin(ctx, false)
	defer c.End()
	c.Tag = r.ID
	b.SetInternal(c.Key, []byte{})
	if err := x.Batch(b); err != nil {
		return nil, err
	}
	tags := make(map[string]string, len(c.Verdicts))
	for _, v := range c.Verdicts {
		if v.Action == admission.Tag {
			tags[v.ID] = v.Policy
		}
	}
	for i := range all {
		all[i].Tag = cmp.Or(tags[all[i].ID], all[i].Tag)
	}
	return all, nil
}
