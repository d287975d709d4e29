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
	"github.com/neardup/bleve-neardup/internal/sentences"
)

func TestShort(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pictures")
	stdout, _ := call(t, 0, "--short", "--data", data(t), "--json")
	var got []shortCorpus
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || len(got[0].Sentences) != len(sentences.Cuts) || len(got[0].Settings) != len(settings()) {
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
