package backfill

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/internal/leftout"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// carry is what a target gets of its source besides documents.
type carry struct {
	from, to *indextype.Index
	target   bleve.Index
	fields   []string         // whose templates the target has none of
	marks    []admission.Mark // that the target has none of the same name of
	policy   bool             // the target has none of its own
}

// newCarry returns an error if the target cannot take what the source keeps.
func newCarry(from, to *indextype.Index, target bleve.Index) (*carry, error) {
	c := &carry{from: from, to: to, target: target}
	if err := c.find(); err != nil {
		return nil, err
	}
	for _, field := range c.fields {
		if err := leftout.Takes(target.Mapping(), field, from.Templates(field)); err != nil {
			return nil, fmt.Errorf("backfill: %w; Options.Fresh leaves them behind", err)
		}
	}
	if c.policy = from.Policy() != nil && to.Policy() == nil; c.policy {
		if _, err := neardup.Of(target.Mapping(), gate.FieldOf(from.Policy())); err != nil {
			return nil, fmt.Errorf("backfill: policy: %w; Options.Fresh leaves it behind", err)
		}
	}
	return c, c.mark()
}

// find finds the fields whose templates are carried.
func (c *carry) find() error {
	r, err := c.from.Reader()
	if err != nil {
		return err
	}
	defer r.Close()
	if snapshot, ok := r.(interface{ Internal() map[string][]byte }); ok {
		for key := range snapshot.Internal() {
			if field, ok := strings.CutPrefix(key, leftout.Prefix); ok && c.to.Templates(field) == nil {
				c.fields = append(c.fields, field)
			}
		}
	}
	return nil
}

// mark finds the marks that are carried.
func (c *carry) mark() error {
	all, err := c.from.Marks()
	if err != nil {
		return fmt.Errorf("backfill: marks: %w; Options.Fresh leaves them behind", err)
	}
	own, err := c.to.Marks()
	if err != nil || len(all) == 0 {
		return err
	}
	p := cmp.Or(c.to.Policy(), c.from.Policy())
	a, err := neardup.Of(c.target.Mapping(), gate.FieldOf(p))
	if err != nil {
		return fmt.Errorf("backfill: marks: %w; Options.Fresh leaves them behind", err)
	}
	for _, m := range all {
		if slices.ContainsFunc(own, func(o admission.Mark) bool { return o.Name == m.Name }) {
			continue
		}
		if want := a.Params().ID(); m.Signature.Params != want {
			return fmt.Errorf("backfill: mark %q: wanted a signature of the parameters of field %q, %#x, got one of %#x, which matches nothing: Options.Fresh leaves marks behind, and texts can be marked again", m.Name, gate.FieldOf(p), want, m.Signature.Params)
		}
		c.marks = append(c.marks, m)
	}
	return nil
}

// before puts in force what documents are signed with.
func (c *carry) before(ctx context.Context) error {
	for _, field := range c.fields {
		if err := c.to.SetTemplates(ctx, field, c.from.Templates(field)); err != nil {
			return fmt.Errorf("backfill: %w", err)
		}
	}
	return nil
}

// after puts in force what documents are judged by: not before, since what the source has
// accepted is not judged again.
func (c *carry) after(ctx context.Context) error {
	if len(c.marks) > 0 {
		if err := c.to.SetMark(ctx, c.marks...); err != nil {
			return fmt.Errorf("backfill: marks: %w", err)
		}
	}
	if c.policy {
		if err := c.to.SetPolicy(ctx, c.from.Policy()); err != nil {
			return fmt.Errorf("backfill: policy: %w", err)
		}
	}
	return nil
}
