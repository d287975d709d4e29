package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/examples/internal/terminal"
)

// variant is one way to sign the texts, with the pairs that it finds.
type variant struct {
	name    string // for people
	config  string // the analyzer's configuration
	params  signature.Params
	preset  *threshold            // the rule of a preset, the only one that is tried; nil for a width
	sigs    []signature.Signature // by text
	pairs   []pair
	judged  []judged
	tallied []tally // the judged ones
	hidden  int     // documents, by the present rule, or that of a preset
}

// errMany is that there are more pairs than are kept.
var errMany = errors.New("raise --loose-lanes or lower --loose-hamming")

// variants signs the texts in each way that is tried: the present one, widths, and presets with
// their rules. A way that finds too many pairs is left out, with a word in left, unless it is the
// present one.
func variants(ctx context.Context, c *corpus, t *truth, o options, stderr io.Writer) (all []*variant, left []string, err error) {
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
	bar := terminal.NewBar(stderr, "signing, texts", int64(len(ways)*len(c.texts)), false)
	defer bar.End()
	for _, v := range ways {
		switch err := v.compute(ctx, c, t, o, bar); {
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

// compute signs the texts, finds pairs and judges them.
func (v *variant) compute(ctx context.Context, c *corpus, t *truth, o options, bar terminal.Bar) (err error) {
	if err := v.sign(ctx, c, bar); err != nil {
		return err
	}
	if v.pairs, err = find(ctx, c, v, v.loose(o.loose, c.lanes())); err != nil {
		return err
	}
	v.judged = t.judge(c, v)
	v.hidden = fold(c, v.pairs, v.rule(o)).Hidden
	v.tallied = tallied(v.judged, slices.Max(o.minWords()), v.rule(o).LongLanes > 0)
	return nil
}

// rule is the present rule, or that of a preset.
func (v *variant) rule(o options) threshold {
	if v.preset != nil {
		return *v.preset
	}
	return o.before()
}

// ofPreset is a preset with its rule. What it does not fix is as at present: the seed, the tokenizer.
func ofPreset(preset neardup.Preset, present signature.Params) *variant {
	p := present
	p.Width, p.Lanes, p.SimhashWidth = preset.Params.Width, preset.Params.Lanes, preset.Params.SimhashWidth
	rule := threshold{Lanes: preset.Rule.Need(p.Lanes, 0), LongLanes: preset.Rule.LongLanes, Hamming: preset.Rule.Bits(), MinWords: max(0, preset.Rule.MinWords)}
	return &variant{name: "preset " + preset.Name, params: p, preset: &rule, config: fmt.Sprintf(`{"type": "neardup", "preset": %q}`, preset.Name)}
}

// loose is what pairs are looked for by, as large a share of other lanes, and never stricter than the
// rule of a preset.
func (v *variant) loose(o signature.Rule, lanes int) signature.Rule {
	if v.params.Lanes != lanes {
		o.Lanes = (o.Lanes*v.params.Lanes + lanes - 1) / lanes
	}
	if v.preset != nil {
		o.Lanes, o.Hamming = min(o.Lanes, v.preset.Lanes), max(o.Hamming, v.preset.Hamming)
	}
	return o
}

// sign makes the signatures of the texts.
func (v *variant) sign(ctx context.Context, c *corpus, bar terminal.Bar) error {
	m, err := signature.NewMaker(v.params)
	if err != nil {
		return err
	}
	for _, t := range c.texts {
		if err := ctx.Err(); err != nil {
			return err
		}
		bar.Add(1)
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

// mostPairs is the most pairs that are kept: 40 bytes each.
const mostPairs = 5_000_000

// find returns all pairs of texts that meet the loose rule, and misses none: package table
// looks them up by keys, and two such texts share at least one. So counts of pairs with at
// least as many lanes, or at most its Hamming distance, are complete.
func find(ctx context.Context, c *corpus, v *variant, loose signature.Rule) (pairs []pair, err error) {
	if loose.Lanes > v.params.Lanes {
		return nil, fmt.Errorf("--loose-lanes: wanted at most the %d lanes of the signatures, got %d", v.params.Lanes, loose.Lanes)
	}
	sigs := v.sigs
	loose.Hamming = bits(loose.Hamming)
	t := table.New(loose)
	t.Reserve(len(sigs))
	for b := range sigs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for a := range t.Each(&sigs[b]) {
			pairs = append(pairs, newPair(c, sigs, a, b))
		}
		if len(pairs) > mostPairs {
			return nil, fmt.Errorf("wanted at most %d pairs, got more after %d of %d texts: %w", mostPairs, b, len(sigs), errMany)
		}
		t.Add(&sigs[b])
	}
	return pairs, nil
}
