package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
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
	most := maxHunks
	if r.Form.Get("part") == "" {
		most = diffWords
	}
	if text := strings.ReplaceAll(r.PostForm.Get("text"), "\r\n", "\n"); text != "" {
		own := stored{doc: doc{ID: "your text"}, Text: text}
		if own.Signature, err = s.sign(text); err != nil {
			return nil, err
		}
		c := s.compareStored(st, b, own, most)
		c.Pasted = true
		return c, nil
	}
	a, err := s.stored(ctx, r.Form.Get("a"))
	if err != nil {
		return nil, err
	}
	return s.compareStored(st, a, b, most), nil
}

// compareStored compares b with a. The texts are there, so their resemblance is exact.
func (s *site) compareStored(st state, a, b stored, most int) *comparison {
	c := &comparison{state: st, A: a.doc, B: b.doc, Diff: differ(a.Text, b.Text, most)}
	c.Match, c.Passed = st.Rule.Match(&a.Signature, &b.Signature)
	if analyzer, err := neardup.Of(s.index.Mapping(), signature.DefaultField); err == nil {
		_, x := analyzer.Tokens([]byte(a.Text))
		_, y := analyzer.Tokens([]byte(b.Text))
		p := analyzer.Params()
		both := shingle.Compare(p.Width, p.Bag, [][]token.Token{x}, [][]token.Token{y}, 0)
		if all := both.Shared + both.A.Own + both.B.Own; all > 0 {
			c.Resemblance = strings.TrimSuffix(fmt.Sprintf("%.1f", 100*float64(both.Shared)/float64(all)), ".0") + " %"
			if c.Resemblance == "100 %" && both.Shared < all {
				c.Resemblance = "> 99.9 %"
			}
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
	e.Copies[i].Shown = s.compareStored(e.State, head, b, maxHunks)
	return nil
}
