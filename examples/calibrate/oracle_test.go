package main

import (
	"context"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

func corpusOf(t *testing.T, args ...string) (*corpus, options) {
	t.Helper()
	o, _, err := parse(args)
	if err != nil {
		t.Fatal(err)
	}
	c, err := load(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return c, o
}

// TestFind compares all pairs, one by one, at each width.
func TestFind(t *testing.T) {
	file, docs := manuals(t)
	byID := make(map[string]string)
	for _, d := range docs {
		byID[d.ID] = d.Text
	}
	tries := [][]string{{"--widths", "2,6"}, {"--loose-lanes", "30", "--loose-hamming", "14"}, {"--loose-lanes", "80", "--loose-hamming", "4"}}
	if testing.Short() {
		tries = tries[:1]
	}
	for _, args := range tries {
		c, o := corpusOf(t, append(args, file)...)
		all, left, err := variants(context.Background(), c, new(truth), o, io.Discard)
		if err != nil || len(left) > 0 {
			t.Fatal(left, err)
		}
		var sets []map[string]struct{}
		for _, x := range c.texts {
			sets = append(sets, neartest.Shingles(terms(byID[x.ids[0]]), 4))
		}
		var widths []int
		presets := 0
		for _, v := range all {
			config, loose := map[string]any{"width": float64(v.params.Width)}, o.loose
			if v.preset == nil {
				widths = append(widths, v.params.Width)
			} else {
				config = map[string]any{"preset": strings.TrimPrefix(v.name, "preset ")}
				loose.Lanes = min(v.preset.Lanes, (loose.Lanes*v.params.Lanes+99)/100)
				presets++
			}
			sigs := signedBy(t, config, c, byID)
			want := 0
			for b := range sigs {
				for a := range sigs[:b] {
					m, _ := loose.Match(&sigs[a], &sigs[b])
					if sigs[a].Lanes == 0 || sigs[b].Lanes == 0 || m.Agree < loose.Lanes && m.Hamming > loose.Hamming {
						continue
					}
					if want >= len(v.pairs) {
						t.Fatalf("%q, %s: %d pairs found, and not %q, %q", args, v.name, len(v.pairs), c.texts[a].ids, c.texts[b].ids)
					}
					p, exact := v.pairs[want], neartest.Resemblance(sets[a], sets[b])
					if p.a != a || p.b != b || p.lanes != m.Agree || p.hamming != m.Hamming || math.Abs(p.exact-exact) > 1e-9 {
						t.Fatalf("%q, %s: pair %d is %+v, want %d, %d, %+v, %v", args, v.name, want, p, a, b, m, exact)
					}
					want++
				}
			}
			if len(v.pairs) != want || want == 0 {
				t.Errorf("%q, %s: %d pairs, want %d, and some", args, v.name, len(v.pairs), want)
			}
		}
		if want := append([]int{4}, slices.DeleteFunc(slices.Clone(o.widths), func(w int) bool { return w == 4 })...); !slices.Equal(widths, want) || presets != 2 {
			t.Errorf("%q: widths %d and %d presets, want %d and 2", args, widths, presets, want)
		}
	}
}

func terms(text string) (all []string) {
	for _, token := range token.Split([]byte(text)) {
		all = append(all, string(token.Term))
	}
	return all
}

// signedBy signs the texts by an analyzer.
func signedBy(t *testing.T, config map[string]any, c *corpus, byID map[string]string) (sigs []signature.Signature) {
	t.Helper()
	m := bleve.NewIndexMapping()
	config["type"] = neardup.Name
	if err := m.AddCustomAnalyzer("own", config); err != nil {
		t.Fatal(err)
	}
	for _, x := range c.texts {
		sig, _ := m.AnalyzerNamed("own").(*neardup.Analyzer).Sign([]byte(byID[x.ids[0]]))
		sigs = append(sigs, sig)
	}
	return sigs
}

// TestFold compares what thresholds hide with near.Groups.
func TestFold(t *testing.T) {
	file, docs := manuals(t)
	c, o := corpusOf(t, file)
	all, _, err := variants(context.Background(), c, new(truth), o, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	pairs := all[0].pairs
	m := bleve.NewIndexMapping()
	m.DefaultMapping.Dynamic = false
	plugin.AddSignature(m.DefaultMapping, "text")
	x, err := plugin.New("", m)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	batch := x.NewBatch()
	for _, d := range docs {
		if err := batch.Index(d.ID, map[string]any{"text": d.Text}); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.Batch(batch); err != nil {
		t.Fatal(err)
	}
	for _, at := range []threshold{{90, 3, 9, 0, 0}, {60, 10, 1, 0, 0}, {75, -1, 9, 0, 0}, {100, 0, 9, 0, 0}, {85, 5, 60, 0, 0}, {70, 8, 30, 0, 0}} {
		rule, want := at.rule(), folded{threshold: at}
		for group, err := range near.Groups(context.Background(), x, near.GroupsOptions{Rule: rule}) {
			if err != nil {
				t.Fatal(err)
			}
			want.Groups++
			want.Hidden += len(group.Members)
		}
		if got := fold(c, pairs, at); got != want || got.Hidden == 0 {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

// TestTallied scores random pairs one by one.
func TestTallied(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var pairs []judged
	for range 3000 {
		pairs = append(pairs, judged{pair{lanes: 60 + rnd.IntN(41), hamming: rnd.IntN(20), words: 1 + rnd.IntN(40), exact: rnd.Float64()}, verdict(rnd.IntN(3))})
	}
	tallies := tallied(pairs, 20, false)
	for _, at := range []threshold{{90, 3, 9, 0, 0}, {60, -1, 20, 0, 0}, {100, 10, 1, 0, 0}, {75, 5, 15, 0, 0}, {75, 5, 15, .85, 0}} {
		want := score{threshold: at}
		rule := at.rule()
		for _, p := range pairs {
			folds := p.lanes >= rule.Lanes || rule.Mode != signature.SketchOnly && p.hamming <= at.Hamming
			if at.Verify > 0 {
				folds = p.exact >= at.Verify
			}
			if folds = folds && p.words >= rule.MinWords; p.verdict == copied && folds {
				want.Found++
			} else if p.verdict == copied {
				want.Missed++
			} else if p.verdict == different && folds {
				want.Wrong++
			} else if folds {
				want.Between++
			}
		}
		want.Precision = newShare(want.Found, want.Found+want.Wrong)
		want.Recall = newShare(want.Found, want.Found+want.Missed)
		if got := at.score(tallies); got != want || got.Found == 0 {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}
