package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
)

// variant is one way to sign the texts, with the pairs that it finds.
type variant struct {
	name   string // for people
	config string // the analyzer's configuration
	params signature.Params
	preset *threshold            // the rule of a preset, the only one that is tried; nil for a width
	sigs   []signature.Signature // by text
	pairs  []pair
	judged []judged
}

// errMany is that there are more pairs than are kept.
var errMany = errors.New("raise --loose-lanes or lower --loose-hamming")

// lanes is how many lanes the sketches have.
func (v *variant) lanes() int { return v.params.Lanes }

// variants signs the texts in each way that is tried: the present one, widths, and presets with
// their rules. A way that finds too many pairs is left out, with a word in left, unless it is the
// present one.
func variants(ctx context.Context, c *corpus, o options) (all []*variant, left []string, err error) {
	present := c.analyzer.Params()
	var ways []*variant
	for _, width := range append([]int{present.Width}, o.widths...) {
		p := present
		p.Width = width
		if !slices.ContainsFunc(ways, func(v *variant) bool { return v.params == p }) {
			ways = append(ways, &variant{name: fmt.Sprintf("width %d", width), params: p, config: fmt.Sprintf(`{"type": "neardup", "width": %d}`, width)})
		}
	}
	for _, preset := range neardup.Presets() {
		if slices.Contains(o.presets, preset.Name) {
			ways = append(ways, ofPreset(preset, present))
		}
	}
	for _, v := range ways {
		if err := v.sign(ctx, c); err != nil {
			return nil, nil, err
		}
		v.pairs, err = find(ctx, c, v, v.loose(o.loose, c.lanes()))
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

// ofPreset is a preset with its rule. What it does not fix is as at present: the seed, the tokenizer.
func ofPreset(preset neardup.Preset, present signature.Params) *variant {
	p := present
	p.Width, p.Lanes, p.SimhashWidth = preset.Params.Width, preset.Params.Lanes, preset.Params.SimhashWidth
	rule := threshold{preset.Rule.Need(p.Lanes), preset.Rule.Bits(), max(0, preset.Rule.MinWords)}
	return &variant{name: "preset " + preset.Name, params: p, preset: &rule, config: fmt.Sprintf(`{"type": "neardup", "preset": %q}`, preset.Name)}
}

// loose is what pairs are looked for by, as large a share of other lanes, and never stricter than the
// rule of a preset.
func (v *variant) loose(o signature.Rule, lanes int) signature.Rule {
	if v.lanes() != lanes {
		o.Lanes = (o.Lanes*v.lanes() + lanes - 1) / lanes
	}
	if v.preset != nil {
		o.Lanes, o.Hamming = min(o.Lanes, v.preset.Lanes), max(o.Hamming, v.preset.Hamming)
	}
	return o
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
