package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/registry"
	"github.com/spf13/pflag"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/examples/internal/command"
	"github.com/neardup/bleve-neardup/examples/internal/join"
	"github.com/neardup/bleve-neardup/examples/internal/markdown"
)

const rulesUsage = `Usage: bench rules [flags]

Measures what rules take for near-duplicates, without an index: which share of the pairs of a
resemblance of .8 and of .9 on, of the pairs with one label, and how many pairs below .5 and
between .5 and .8. A setting is the configuration of the analyzer in JSON.

  go -C examples run ./bench rules --corpus manuals
  go -C examples run ./bench rules --setting '{"preset": "mail"}' --setting '{"width": 3}' --data ~/mails.jsonl
  go -C examples run ./bench rules --corpus manuals --words 10

Flags:
%s`

// ruleOptions is what the command line of bench rules says.
type ruleOptions struct {
	options
	settings []string
	most     int
	words    int
}

// usualSettings are the presets, and each test of the default rule alone.
var usualSettings = []string{
	`{"preset": "pages"}`, `{"preset": "versions"}`, `{"preset": "mail"}`, `{"preset": "short"}`,
	`{"rule": {"mode": "sketch_only"}}`, `{"rule": {"mode": "simhash_only"}}`, `{"simhash_width": 1, "rule": {"mode": "simhash_only"}}`,
}

func parseRules(args []string) (measuring, *pflag.FlagSet, error) {
	var o ruleOptions
	f := command.Flags("bench rules")
	o.flags(f)
	f.StringArrayVar(&o.settings, "setting", usualSettings, "configuration of an analyzer; may be repeated")
	f.IntVar(&o.most, "most", 6000, "documents of a corpus, chosen at random where there are more; 0 for all")
	f.IntVar(&o.words, "words", 0, "instead of the documents, take their first words, so many, and the same with one word changed")
	if err := f.Parse(args); err != nil {
		return nil, f, err
	}
	switch {
	case o.most < 0:
		return nil, f, fmt.Errorf("--most: wanted 0 or more, got %d", o.most)
	case o.words < 0:
		return nil, f, fmt.Errorf("--words: wanted 0 or more, got %d", o.words)
	}
	return o.measure, f, cmp.Or(command.None(f), o.source.Validate())
}

// measure prints a table for each corpus.
func (o ruleOptions) measure(ctx context.Context, stdout, stderr io.Writer) error {
	analyzers := make([]*neardup.Analyzer, len(o.settings))
	for i, setting := range o.settings {
		var err error
		if analyzers[i], err = analyzer(setting); err != nil {
			return fmt.Errorf("--setting %s: %w", setting, err)
		}
	}
	corpora, err := o.read()
	if err != nil {
		return err
	}
	for _, c := range corpora {
		c = c.sample(o.most)
		if o.words > 0 {
			if c = c.changed(o.words); len(c.docs) == 0 {
				return fmt.Errorf("%s: wanted documents of %d words, got none", c.name, o.words)
			}
		}
		t := newTruth(c, .8, stderr)
		high := t.bins[bin(.9)] + t.bins[bin(.95)] + t.bins[bin(1)]
		rows := [][]string{{"setting", "r ≥ .8", "r ≥ .9", "one label", "others", "precision", "r < .5", ".5 to .8"}}
		for i, a := range analyzers {
			if err := ctx.Err(); err != nil {
				return err
			}
			s := t.score(taken(a, c))
			half := s.Found - s.Bins[0] - s.Right
			rows = append(rows, []string{
				"`" + o.settings[i] + "`", share(s.Right, t.near), share(s.Bins[bin(.9)]+s.Bins[bin(.95)]+s.Bins[bin(1)], high),
				share(s.Labelled, c.labelled()), fmt.Sprint(s.Found - s.Labelled), share(s.Found-s.Bins[0], s.Found), fmt.Sprint(s.Bins[0]), fmt.Sprint(half),
			})
		}
		var out strings.Builder
		fmt.Fprintf(&out, "%s: %d documents; %d pairs with r ≥ .8, %d with r ≥ .9, %d with one label. Shares that are found;\n"+
			"how many others; of those found, the share with r ≥ .5; and how many are less alike.\n\n", c.name, len(c.docs), t.near, high, c.labelled())
		markdown.Table(&out, rows, 1)
		if _, err := io.WriteString(stdout, out.String()+"\n"); err != nil {
			return err
		}
	}
	return nil
}

func analyzer(setting string) (*neardup.Analyzer, error) {
	var config map[string]any
	if err := json.Unmarshal([]byte(setting), &config); err != nil {
		return nil, err
	}
	a, err := neardup.AnalyzerConstructor(config, registry.NewCache())
	if err != nil {
		return nil, err
	}
	return a.(*neardup.Analyzer), nil
}

// taken are the pairs that an analyzer's rule takes for near-duplicates.
func taken(a *neardup.Analyzer, c corpus) map[join.Pair]struct{} {
	pairs, before := map[join.Pair]struct{}{}, table.New(a.Rule())
	for i, d := range c.docs {
		s := a.SignText([]byte(d.Text))
		for j := range before.Each(&s) {
			pairs[join.Of(int32(i), int32(j))] = struct{}{}
		}
		before.Add(&s)
	}
	return pairs
}

// sample returns so many documents, chosen at random, in their order.
func (c corpus) sample(most int) corpus {
	if most == 0 || len(c.docs) <= most {
		return c
	}
	order := rand.New(rand.NewPCG(20, 7)).Perm(len(c.docs))[:most]
	slices.Sort(order)
	docs := make([]document, most)
	for i, n := range order {
		docs[i] = c.docs[n]
	}
	c.docs = docs
	return c
}

// changed returns the first n words of each text that has as many, once each, and the same with one word changed to
// a word of another text. Both have a label of their own: all other pairs are of different texts.
func (c corpus) changed(n int) corpus {
	rnd := rand.New(rand.NewPCG(20, 8))
	short := corpus{name: fmt.Sprintf("%s, %d words", c.name, n), about: c.about}
	seen := map[string]bool{}
	begin := func(d document, n int) (words []string) {
		for _, t := range token.Split([]byte(d.Text[:min(len(d.Text), 40*n)])) {
			words = append(words, string(t.Term))
		}
		return words[:min(len(words), n)]
	}
	for i, d := range c.docs {
		words, others := begin(d, n), begin(c.docs[rnd.IntN(len(c.docs))], 100)
		if len(words) < n || len(others) == 0 {
			continue
		}
		text, at, other := strings.Join(words, " "), rnd.IntN(n), others[rnd.IntN(len(others))]
		if seen[text] || other == words[at] {
			continue
		}
		seen[text] = true
		short.add(i, 0, text)
		short.add(i, 1, strings.Join(slices.Concat(words[:at], []string{other}, words[at+1:]), " "))
	}
	return short
}
