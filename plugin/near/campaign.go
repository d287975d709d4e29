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
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/backfill"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
	"github.com/neardup/bleve-neardup/plugin/internal/typed"
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
func Campaign(ctx context.Context, x bleve.Index, r CampaignRequest) ([]Copy, error) {
	n, err := typed.Index("near", x)
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
	rule, _, err := neardup.RuleOf(x.Mapping(), p.FieldName(), p.Rule)
	if err != nil {
		return nil, fmt.Errorf("near: %w", err)
	}
	reader, err := n.Reader()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	l := campaign{policy: p, reader: reader, known: column.Of(reader, p.FieldName())}
	return l.list(ctx, rule, r)
}

// campaign is the documents of one campaign.
type campaign struct {
	policy *admission.Policy
	reader index.IndexReader
	known  *column.Reader
}

func (l *campaign) list(ctx context.Context, rule signature.Rule, r CampaignRequest) (all []Copy, err error) {
	number, err := l.reader.InternalID(r.ID)
	if err != nil {
		return nil, err
	}
	if number == nil {
		return nil, fmt.Errorf("near: wanted the id of a document of the index, got %q", r.ID)
	}
	doc := number.Value()
	sig, err := l.known.Signature(doc)
	if err != nil {
		return nil, err
	}
	if sig == nil {
		return nil, fmt.Errorf("near: document %q: wanted one with a signature of the field %q, got one without", r.ID, l.policy.FieldName())
	}
	scope, err := l.scope(doc)
	if err != nil {
		return nil, err
	}
	lookup, err := l.known.Lookup(ctx, rule, table.Plan{}, l.policy.Scope)
	if err != nil {
		return nil, err
	}
	var probe table.Probe
	probe.Prepare(rule, table.Plan{}, sig, scope)
	lookup.Near(&probe, func(doc uint64) bool {
		var d Copy
		if d, err = l.document(doc); err != nil {
			return false
		}
		var other *signature.Signature
		if other, err = l.known.Signature(doc); err != nil {
			return false
		}
		d.Match, _ = rule.Match(sig, other)
		early := !r.From.IsZero() && (d.Sent.IsZero() || d.Sent.Before(r.From))
		late := !r.To.IsZero() && (d.Sent.IsZero() || !d.Sent.Before(r.To))
		if !early && !late {
			all = append(all, d)
		}
		err = ctx.Err()
		return err == nil
	})
	slices.SortFunc(all, func(a, b Copy) int { return cmp.Or(a.Sent.Compare(b.Sent), strings.Compare(a.ID, b.ID)) })
	return all, err
}

// scope is column.ScopeOf the terms that a document has in the policy's scope.
func (l *campaign) scope(doc uint64) (uint64, error) {
	if l.policy.Scope == "" {
		return 0, nil
	}
	scopes, err := l.known.Scopes(l.policy.Scope)
	if err != nil {
		return 0, err
	}
	return scopes(doc), nil
}

func (l *campaign) document(doc uint64) (d Copy, err error) {
	if d.ID, err = l.reader.ExternalID(column.Number(doc)); err != nil {
		return d, err
	}
	tag, err := l.known.Stored(doc, admission.TagField)
	if err != nil {
		return d, err
	}
	d.Tag = string(tag)
	sent, err := l.known.Stored(doc, signature.TimeField(l.policy.FieldName()))
	if err == nil && sent != nil {
		d.Sent, _ = time.Parse(time.RFC3339Nano, string(sent)) // zero if this library did not write it
	}
	return d, err
}

// TagCampaign lists a campaign as Campaign does, and writes those of its documents that have no tag again, with
// the tag "campaign". They are not judged anew, and keep their time. bleve cannot add a
// field to a document, so TagCampaign needs what the application wrote: source returns it, nil for a
// document that is to stay as it is. If source is nil, documents are rebuilt from their stored
// fields (package plugin/backfill), which is an error where these do not hold everything.
//
// A document that was deleted meanwhile stays away, and one whose text or stored fields are not as source has them,
// since they were changed meanwhile, stays as it is and untagged. All are written, or none.
func TagCampaign(ctx context.Context, x bleve.Index, r CampaignRequest, source func(ctx context.Context, id string) (any, error)) ([]Copy, error) {
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
