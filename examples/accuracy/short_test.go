package main

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

func TestShort(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pictures")
	stdout, _ := call(t, 0, "--short", "--data", data(t), "--json")
	var got []shortCorpus
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || len(got[0].Sentences) != len(sentenceCuts) || len(got[0].Settings) != len(settings()) {
		t.Fatalf("got %d corpora, %+v", len(got), got)
	}
	stdout, _ = call(t, 0, "--short", "--data", data(t), "--out", dir)
	if !strings.Contains(stdout, "2 words, 92 of 150 lanes") || !strings.Contains(stdout, "mark or line: ") {
		t.Errorf("got %s", stdout)
	}
	checkPicture(t, filepath.Join(dir, "short.svg"))
}

// takes finds what comparing all pairs finds.
func TestTakes(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	var all [][]string
	for range 60 {
		words := make([]string, 12)
		for i := range words {
			words[i] = string('a'+rune(rnd.IntN(26))) + string('a'+rune(rnd.IntN(26)))
		}
		for range 4 { // changed in one place more each
			all = append(all, slices.Clone(words))
			words[rnd.IntN(len(words))] = "zz"
		}
	}
	var want taken
	p := shortSetting.params()
	for j := range all {
		for i := range j {
			a, b := signature.Of(p, []byte(strings.Join(all[i], " "))), signature.Of(p, []byte(strings.Join(all[j], " ")))
			if !shortSetting.rule.Duplicates(&a, &b) {
				continue
			}
			differ := 0
			for k := range all[i] {
				if all[i][k] != all[j][k] {
					differ++
				}
			}
			if differ <= 1 {
				want.Edited++
			} else {
				want.Wrong++
			}
		}
	}
	want.Rate = newRate(want.Wrong, len(all))
	if got := shortSetting.takes(all); got != want || want.Edited == 0 || want.Wrong == 0 {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestRate(t *testing.T) {
	t.Parallel()
	if got := newRate(0, 1); got != (rate{}) {
		t.Errorf("one sentence: got %v", got)
	}
	if got := newRate(7, 1000); math.Abs(got.Value-7) > 1e-9 || got.Low < 3.3 || got.Low > 3.5 || got.High < 14.4 || got.High > 14.5 {
		t.Errorf("7 pairs of a thousand sentences: got %v", got) // Wilson's interval of 7 among many
	}
	if got := newRate(0, 1000); got.Low != 0 || got.High < 3.8 || got.High > 3.9 {
		t.Errorf("no pair: got %v", got)
	}
	if got := newRate(20, 5000); math.Abs(got.Value-.8) > .01 {
		t.Errorf("20 pairs of 5,000 sentences: got %v", got)
	}
}

// Of a thousand first sentences of different documents few pairs are taken by the preset short that differ in more
// than one word. The goal is one pair. No setting that finds what the test of the preset wants reaches it on all
// documents, and the way of cutting sentences counts for much: --short prints the figures of five ways on any
// corpora. So each way has a limit of its own here, and fails if Wilson's interval begins above that.
// (These mails are of one mailbox, with more families of mails than the random ones of presets.md.)
func TestShortWrong(t *testing.T) {
	t.Parallel()
	t.Run("manuals", func(t *testing.T) {
		t.Parallel()
		wrongSentences(t, neartest.Shipped(t), 300, []float64{1, 1, 1, 1})
	})
	t.Run("mails", func(t *testing.T) {
		t.Parallel()
		wrongSentences(t, neartest.FirstDocs(t, "enron-spam/docs.jsonl.gz", 2500), 1500, []float64{8, 2, 2})
	})
}

// wrongSentences counts the wrong pairs among first sentences of documents that are unlike.
func wrongSentences(t *testing.T, docs []neartest.Doc, least int, limits []float64) {
	var texts []string
	wide, params := signature.Rule{Lanes: 45, Mode: signature.SketchOnly}, signature.DefaultParams()
	var heads []signature.Signature
	for _, d := range docs {
		sig := signature.Of(params, []byte(d.Text[:min(len(d.Text), 20_000)]))
		if !slices.ContainsFunc(heads, func(h signature.Signature) bool { return wide.Duplicates(&h, &sig) }) {
			heads, texts = append(heads, sig), append(texts, d.Text)
		}
	}
	for n, limit := range limits {
		cut := sentenceCuts[n]
		all := cut.firsts(texts)
		got := shortSetting.takes(all)
		if got.Rate.Low > limit || len(all) < least || got.Edited == 0 {
			t.Errorf("%s: %d sentences, %d wrong pairs: %v of a thousand sentences, want at most %v", cut.name, len(all), got.Wrong, got.Rate, limit)
		}
	}
}
