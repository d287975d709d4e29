package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// variant is one way to sign the texts, with the pairs that it finds.
type variant struct {
	name   string // for people
	config string // the analyzer's configuration
	params signature.Params
	sigs   []signature.Signature // by text
	pairs  []pair
	judged []judged
}

// errMany is that there are more pairs than are kept.
var errMany = errors.New("raise --loose-lanes or lower --loose-hamming")

// variants signs the texts in each way that is tried. The first is the present one. A way
// that finds too many pairs is left out, with a word in left, unless it is the present one.
func variants(ctx context.Context, c *corpus, o options) (all []*variant, left []string, err error) {
	present := c.analyzer.Params()
	for _, width := range append([]int{present.Width}, o.widths...) {
		p := present
		p.Width = width
		if slices.ContainsFunc(all, func(v *variant) bool { return v.params == p }) {
			continue
		}
		v := &variant{name: fmt.Sprintf("width %d", width), params: p, config: fmt.Sprintf(`{"type": "neardup", "width": %d}`, width)}
		if err := v.sign(ctx, c); err != nil {
			return nil, nil, err
		}
		v.pairs, err = find(ctx, c, v.sigs, o.loose)
		switch {
		case errors.Is(err, errMany) && len(all) > 0:
			left = append(left, fmt.Sprintf("%s is left out: %v.", v.name, err))
			continue
		case err != nil:
			return nil, nil, err
		}
		all = append(all, v)
	}
	return all, left, nil
}

// sign makes the signatures of the texts.
func (v *variant) sign(ctx context.Context, c *corpus) error {
	m, err := signature.NewMaker(v.params)
	if err != nil {
		return err
	}
	for _, t := range c.texts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if v.params == c.analyzer.Params() {
			v.sigs = append(v.sigs, t.sig)
			continue
		}
		for _, value := range t.values {
			if v.params.Tokens == "" {
				m.Text(value)
				continue
			}
			for _, token := range c.tokens(value) {
				m.Term(token.Term)
			}
			m.EndValue()
		}
		v.sigs = append(v.sigs, m.Signature())
	}
	return nil
}
