package backfill

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/internal/leftout"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// carry is what a target gets of its source besides documents.
type carry struct {
	from, to *indextype.Index
	fields   []string          // whose templates the target has none of
	marks    []admission.Mark  // that the target has none of the same name of
	policy   *admission.Policy // nil if there is none, or the target has one of its own
}

// newCarry returns an error if the target, which has the mapping m, cannot take what the source keeps.
func newCarry(from, to *indextype.Index, m mapping.IndexMapping) (*carry, error) {
	c := &carry{from: from, to: to}
	for field, sets := range from.Templates() {
		if to.Templates()[field] != nil {
			continue
		}
		if err := leftout.Takes(m, field, sets); err != nil {
			return nil, behind("", err)
		}
		c.fields = append(c.fields, field)
	}
	marks, err := from.Marks()
	if err != nil {
		return nil, behind("marks: ", err)
	}
	if to.Policy() == nil {
		c.policy = from.Policy()
	}
	if c.policy == nil && len(marks) == 0 {
		return c, nil
	}
	field := gate.FieldOf(cmp.Or(to.Policy(), from.Policy()))
	a, err := neardup.Of(m, field)
	if err != nil {
		return nil, behind("policy and marks: ", err)
	}
	own, err := to.Marks()
	if err != nil {
		return nil, err
	}
	for _, mark := range marks {
		if slices.ContainsFunc(own, func(o admission.Mark) bool { return o.Name == mark.Name }) {
			continue
		}
		if want := a.Params().ID(); mark.Signature.Params != want {
			return nil, fmt.Errorf("backfill: mark %q: wanted a signature of the parameters of field %q, %#x, got one of %#x, which matches nothing: Options.Fresh leaves marks behind, and texts can be marked again", mark.Name, field, want, mark.Signature.Params)
		}
		c.marks = append(c.marks, mark)
	}
	return c, nil
}

// behind is the error of what does not fit a target.
func behind(what string, err error) error {
	return fmt.Errorf("backfill: %s%w; Options.Fresh leaves them behind", what, err)
}

// before puts in force what documents are signed with.
func (c *carry) before(ctx context.Context) error {
	for _, field := range c.fields {
		if err := c.to.SetTemplates(ctx, field, c.from.Templates()[field]); err != nil {
			return fmt.Errorf("backfill: %w", err)
		}
	}
	return nil
}

// after puts in force what documents are judged by: not before, since what the source has
// accepted is not judged again.
func (c *carry) after(ctx context.Context) (err error) {
	if len(c.marks) > 0 {
		err = c.to.SetMark(ctx, c.marks...)
	}
	if err == nil && c.policy != nil {
		err = c.to.SetPolicy(ctx, c.policy)
	}
	if err != nil {
		return fmt.Errorf("backfill: policy and marks: %w", err)
	}
	return nil
}
