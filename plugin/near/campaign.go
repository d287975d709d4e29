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
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// Copy is a document of a campaign.
type Copy struct {
	ID    string          `json:"id"`
	Match signature.Match `json:"match"` // with the document that was asked for

	// Sent is when it was sent, zero if the index does not know: it does if a flood was in force.
	Sent time.Time `json:"sent,omitzero"`

	// Tag is the part of the policy that has tagged it, empty if it has no tag.
	Tag string `json:"tag,omitempty"`
}

// Campaign lists the copies of one text that an index has, such as what got in of a campaign before a flood
// stopped the rest of it: the document of the id, which is Verdict.Of of one that the flood rejected, and all its
// near-duplicates, by the rule, the field and the scope of the policy that is in force, in the order in which they were
// sent, then of their ids. It misses none whose signature can be read.
func Campaign(ctx context.Context, x bleve.Index, id string) (all []Copy, err error) {
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
	q := SimilarQuery{Field: p.Field, Rule: p.Rule, ID: id, Self: true}
	f, err := q.finder(ctx, reader, x.Mapping())
	if err != nil {
		return nil, err
	}
	number, err := number(f.reader, id)
	if err != nil {
		return nil, err
	}
	if number == nil {
		return nil, fmt.Errorf("near: campaign: id %q: %w", id, ErrNotFound)
	}
	if p.Scope != "" {
		l, err := f.signatures.Lookup(ctx, f.judge.Rule, f.plan, p.Scope)
		if err != nil {
			return nil, err
		}
		f.scope, f.scoped = p.Scope, l.Scope(number.Value())
	}
	matches, err := q.matches(f)
	if err != nil {
		return nil, err
	}
	for _, m := range matches {
		c, err := f.copy(m.doc)
		if err != nil {
			return nil, err
		}
		c.Match = m.Match
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b Copy) int { return cmp.Or(a.Sent.Compare(b.Sent), strings.Compare(a.ID, b.ID)) })
	return all, nil
}

// copy reads what is known of a document.
func (f *finder) copy(doc uint64) (c Copy, err error) {
	if c.ID, err = f.reader.ExternalID(column.Number(doc)); err != nil {
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
