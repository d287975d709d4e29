package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/templates"
)

// headlines makes pairs of texts of 12 words in which one word differs, labelled yes, and pairs of
// texts of other words, labelled no.
func headlines(t *testing.T) (file, labels string) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(81, 82))
	var lines, pairs strings.Builder
	words := func() []string {
		all := make([]string, 12)
		for i := range all {
			all[i] = fmt.Sprintf("w%d", rnd.IntN(3000))
		}
		return all
	}
	for i := range 100 {
		a := words()
		fmt.Fprintf(&lines, "{\"id\": \"a%d\", \"text\": %q}\n", i, strings.Join(a, " "))
		a[rnd.IntN(len(a))] = "another"
		fmt.Fprintf(&lines, "{\"id\": \"b%d\", \"text\": %q}\n", i, strings.Join(a, " "))
		fmt.Fprintf(&pairs, "a%d\tb%d\tyes\n", i, i)
		if i > 0 {
			fmt.Fprintf(&pairs, "a%d\tb%d\tno\n", i-1, i)
		}
	}
	dir := t.TempDir()
	return write(t, filepath.Join(dir, "headlines.jsonl"), lines.String()), write(t, filepath.Join(dir, "pairs.tsv"), pairs.String())
}

// Presets are compared with the present rule, each by its own, and one is recommended if it finds more.
func TestPresets(t *testing.T) {
	file, labels := headlines(t)
	r := reported(t, "--widths", "4", "--labels", labels, file)
	if best := r.Recommended; best.Choice.Signature != "preset short" || best.Choice.Lanes != 92 || best.Choice.Config != `{"type": "neardup", "preset": "short"}` || len(r.Ways) != 3 {
		t.Errorf("got %+v of %d ways", best, len(r.Ways))
	}
	if stdout, _ := call(t, 0, "--widths", "4", "--labels", labels, "--out", filepath.Join(t.TempDir(), "report.html"), file); !strings.Contains(stdout, "Most documents are short, 200 of 200: the preset short is for titles,") {
		t.Errorf("no word of short texts: %.300s", stdout)
	}
	// What a preset finds is what its analyzer and rule find.
	for i, name := range []string{neardup.Short, neardup.Mail} {
		m := bleve.NewIndexMapping()
		if err := m.AddCustomAnalyzer("own", map[string]any{"type": neardup.Name, "preset": name}); err != nil {
			t.Fatal(err)
		}
		a := m.AnalyzerNamed("own").(*neardup.Analyzer)
		c, _ := corpusOf(t, file)
		found := 0
		for n := range 100 {
			x, y := c.texts[c.of[fmt.Sprint("a", n)]], c.texts[c.of[fmt.Sprint("b", n)]]
			one, _ := a.Sign(x.values[0])
			other, _ := a.Sign(y.values[0])
			if a.Rule().Duplicates(&one, &other) {
				found++
			}
		}
		if got := r.Ways[i+1]; got.Signature != "preset "+name || got.Present.Found != found || got.Present.Missed != 100-found || got.Present.Wrong != 0 || got.Curve != nil {
			t.Errorf("%s: got %+v, want %d found", name, got.Present, found)
		}
	}
	if r.Ways[1].Present.Found < 90 {
		t.Errorf("short finds %d", r.Ways[1].Present.Found)
	}
	if r := reported(t, "--presets", "", "--labels", labels, file); strings.Contains(fmt.Sprint(r.Ways), "preset") {
		t.Errorf("got ways %v", r.Ways)
	}
	out := filepath.Join(t.TempDir(), "report.html")
	call(t, 0, "--labels", labels, "--out", out, file)
	html, err := os.ReadFile(out)
	if want := fmt.Sprintf("preset short, 92 of 150 lanes</th><td>%d</td>", r.Ways[1].Hidden); err != nil || !strings.Contains(string(html), want) {
		t.Errorf("wanted %q, got %s, error %v", want, html, err)
	}
}

// What a preset changes are the pairs on which its rule and the present rule disagree, by all pairs.
func TestChanges(t *testing.T) {
	file, _ := headlines(t)
	c, _ := corpusOf(t, file)
	sign := func(p signature.Params) (all []signature.Signature) {
		for _, text := range c.texts {
			all = append(all, signature.Of(p, text.values...))
		}
		return all
	}
	seen := make(map[bool]bool)
	for _, tt := range []struct {
		args    []string
		present signature.Rule
	}{{nil, signature.Rule{}}, {[]string{"--lanes", "20", "--loose-lanes", "20"}, signature.Rule{Lanes: 20}}} {
		r := reported(t, append(tt.args, "--samples", "1000", "--widths", "4", file)...)
		for i, preset := range neardup.Presets()[2:] {
			want := make(map[string]bool) // whether the preset folds the pair
			sigs, others := sign(signature.DefaultParams()), sign(preset.Params)
			for b := range c.texts {
				for a := range b {
					if folds := preset.Rule.Duplicates(&others[a], &others[b]); folds != tt.present.Duplicates(&sigs[a], &sigs[b]) {
						want[c.texts[a].ids[0]+" "+c.texts[b].ids[0]] = folds
						seen[folds] = true
					}
				}
			}
			got := make(map[string]bool)
			for _, s := range r.Ways[i+1].Changes {
				if len(s.Pairs) != s.All || s.All == 0 {
					t.Errorf("%s: %d of %d pairs", s.Kind, len(s.Pairs), s.All)
				}
				for j, p := range s.Pairs {
					got[p.A+" "+p.B] = p.Folded
					if off := func(p shown) int { return max(p.Lanes-r.Ways[i+1].Rule.Lanes, r.Ways[i+1].Rule.Lanes-p.Lanes) }; j > 0 && off(s.Pairs[j-1]) > off(p) {
						t.Errorf("%s: %+v is nearer to the rule than the pair before it", s.Kind, p)
					}
				}
			}
			if !maps.Equal(got, want) {
				t.Errorf("%v, %s: got %d pairs, want %d", tt.args, preset.Name, len(got), len(want))
			}
		}
	}
	if len(seen) != 2 {
		t.Errorf("no pair that a preset folds, or none that it keeps apart: %v", seen)
	}
}

// An index brings the rule of its field, and its templates: their words are no part of its texts.
func TestIndexOfPreset(t *testing.T) {
	const footer = " you get this mail because you are on the list of the friends of the library and to leave it write to the address below"
	path := filepath.Join(t.TempDir(), "x.bleve")
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "text")
	if err := m.AddCustomAnalyzer(neardup.Name, map[string]any{"type": neardup.Name, "preset": neardup.Short}); err != nil {
		t.Fatal(err)
	}
	x, err := plugin.New(path, m)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, d := range neartest.Shipped(t) {
		if words := strings.Fields(d.Text); len(texts) < 60 && len(words) > 40 {
			texts = append(texts, strings.Join(words[:40], " "))
		}
	}
	put := func() {
		for i, text := range texts {
			if err := x.Index(fmt.Sprint(i), map[string]any{"text": text + "\n" + footer}); err != nil {
				t.Fatal(err)
			}
		}
	}
	put()
	found, err := templates.Learn(context.Background(), x, templates.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := templates.Use(context.Background(), x, found); err != nil {
		t.Fatal(err)
	}
	put()
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	r := reported(t, "--widths", "2", path)
	if r.Unsigned != 0 || r.Threshold.Lanes != 92 || r.Params.Lanes != 150 {
		t.Errorf("%d documents unsigned, rule %+v, %d lanes", r.Unsigned, r.Threshold, r.Params.Lanes)
	}
	c, _ := corpusOf(t, path)
	for _, text := range c.texts {
		sig := signature.Of(c.analyzer.Params(), text.values...)
		if got, ok := sig.Resemblance(&text.sig); !ok || got.Value != 1 {
			t.Errorf("%s: the texts do not have the stored signature: %v", text.ids, got)
		}
	}
}
