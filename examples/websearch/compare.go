package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// compare compares document b with document a. A text of the user's is compared with b, as
// what became of it: what the user added is added there too.
func (s *site) compare(ctx context.Context, r *http.Request) (any, error) {
	st, err := s.read(r)
	if err != nil {
		return nil, err
	}
	b, err := s.stored(ctx, r.Form.Get("b"))
	if err != nil {
		return nil, err
	}
	if text := strings.ReplaceAll(r.PostForm.Get("text"), "\r\n", "\n"); text != "" {
		own := stored{doc: doc{ID: "your text"}, Text: text}
		if own.Signature, err = s.sign(text); err != nil {
			return nil, err
		}
		c := compareStored(st, b, own)
		c.Pasted = true
		return c, nil
	}
	a, err := s.stored(ctx, r.Form.Get("a"))
	if err != nil {
		return nil, err
	}
	return compareStored(st, a, b), nil
}

// compareStored compares b with a.
func compareStored(st state, a, b stored) *comparison {
	c := &comparison{state: st, A: a.doc, B: b.doc, Diff: differ(a.Text, b.Text)}
	c.Match, c.Passed = st.Rule.Match(&a.Signature, &b.Signature)
	if e, ok := a.Signature.Resemblance(&b.Signature); ok {
		c.Resemblance = percent(e.Value, c.Match)
		if e.StdErr > 0 && e.Value < .995 { // "100 ± 1 %" would say too much
			c.Resemblance = fmt.Sprintf("%.0f ± %.0f %%", 100*e.Value, 100*e.StdErr)
		}
	}
	c.align(&a.Signature, &b.Signature)
	return c
}

// unfold compares the head of an open group with the first copy that differs, so that
// the page comes with what the URL says, and nothing moves later.
func (s *site) unfold(ctx context.Context, e *entry) error {
	if !e.Open || len(e.Copies) == 0 {
		return nil
	}
	i := max(0, slices.IndexFunc(e.Copies, func(c copied) bool { return !c.Equal() }))
	head, err := s.stored(ctx, e.ID)
	if err != nil {
		return err
	}
	b, err := s.stored(ctx, e.Copies[i].ID)
	if err != nil {
		return err
	}
	e.Copies[i].Shown = compareStored(e.State, head, b)
	return nil
}
