package main

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/signaturetest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/groups"
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

// TestFind compares all pairs, one by one.
func TestFind(t *testing.T) {
	file, docs := manuals(t)
	tries := [][]string{{}, {"--loose-lanes", "30", "--loose-hamming", "14"}, {"--loose-lanes", "80", "--loose-hamming", "4"}}
	if testing.Short() {
		tries = tries[:1]
	}
	for _, args := range tries {
		c, o := corpusOf(t, append(args, file)...)
		pairs, err := find(context.Background(), c, o.loose)
		if err != nil {
			t.Fatal(err)
		}
		byID := make(map[string]string)
		for _, d := range docs {
			byID[d.ID] = d.Text
		}
		words := func(text *text) (all []string) {
			for _, token := range signature.Tokens([]byte(byID[text.ids[0]])) {
				all = append(all, string(token.Term))
			}
			return all
		}
		want := 0
		for b, y := range c.texts {
			for a, x := range c.texts[:b] {
				m, _ := o.loose.Match(&x.sig, &y.sig)
				if x.sig.Lanes == 0 || y.sig.Lanes == 0 || m.Agree < o.loose.Lanes && m.Hamming > o.loose.Hamming {
					continue
				}
				if want >= len(pairs) {
					t.Fatalf("%q: %d pairs found, and not %q, %q", args, len(pairs), x.ids, y.ids)
				}
				p := pairs[want]
				if p.a != a || p.b != b || p.lanes != m.Agree || p.hamming != m.Hamming {
					t.Fatalf("%q: pair %d is %+v, want %d, %d, %+v", args, want, p, a, b, m)
				}
				exact := signaturetest.Resemblance(signaturetest.Shingles(words(x), 4), signaturetest.Shingles(words(y), 4))
				if math.Abs(p.exact-exact) > 1e-9 {
					t.Errorf("%q, %q: exact resemblance %v, want %v", x.ids, y.ids, p.exact, exact)
				}
				want++
			}
		}
		if len(pairs) != want || want == 0 {
			t.Errorf("%q: %d pairs, want %d, and some", args, len(pairs), want)
		}
	}
}

// TestFold compares what thresholds hide with package groups.
func TestFold(t *testing.T) {
	file, docs := manuals(t)
	c, o := corpusOf(t, file)
	pairs, err := find(context.Background(), c, o.loose)
	if err != nil {
		t.Fatal(err)
	}
	m := bleve.NewIndexMapping()
	m.DefaultMapping.Dynamic = false
	plugin.Map(m.DefaultMapping, "text")
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
	for _, at := range []threshold{{90, 3, 9}, {60, 10, 1}, {75, -1, 9}, {100, 0, 9}, {85, 5, 60}, {70, 8, 30}} {
		rule, want := at.rule(), folded{threshold: at}
		for group, err := range groups.All(context.Background(), x, groups.Options{Rule: rule}) {
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

// TestLabels counts by hand.
func TestLabels(t *testing.T) {
	dir := t.TempDir()
	base := "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
	text := map[string]string{"a": base, "a2": strings.ToUpper(base), "near": base + " more", "far": "Nothing of this is anywhere in the other texts of the test, not a single shingle of it at all."}
	for id, text := range text {
		write(t, filepath.Join(dir, id+".txt"), text)
	}
	c, o := corpusOf(t, dir)
	pairs, err := find(context.Background(), c, o.loose)
	if err != nil || len(pairs) != 1 || len(c.texts) != 3 {
		t.Fatalf("%d pairs of %d texts, %v; want 1 of 3", len(pairs), len(c.texts), err)
	}
	loose := threshold{60, 3, 1}
	for _, test := range []struct {
		name, kind, text string
		want             score
		contradicted     int
	}{
		{"labels", "--labels", "# comment\na.txt\ta2.txt\nnear.txt\ta.txt\tcopy\na2.txt\tnear.txt\tcopy\na.txt\tfar.txt\n", score{loose, 1, 1, 0, 1, .5}, 0},
		{"different", "--labels", "near.txt\ta.txt\tdifferent\na.txt\ta2.txt\tdifferent\nfar.txt\tnear.txt\tdifferent", score{loose, 0, 0, 1, 0, 1}, 1},
		{"groups", "--groups", "a.txt\tx\na2.txt\tx\nnear.txt\ty\nfar.txt\tx\n", score{loose, 0, 1, 1, 0, 0}, 0},
		{"torn", "--groups", "a.txt\tx\na2.txt\ty\n", score{loose, 0, 0, 0, 1, 1}, 1},
	} {
		path := write(t, filepath.Join(t.TempDir(), "labels.tsv"), test.text)
		_, o := corpusOf(t, test.kind, path, dir)
		tr, err := newTruth(c, pairs, o)
		if err != nil {
			t.Fatal(err)
		}
		if got := loose.score(tallied(tr.pairs, loose.MinWords)); got != test.want || tr.contradicted != test.contradicted {
			t.Errorf("%s: got %+v, %d contradicted, want %+v, %d", test.name, got, tr.contradicted, test.want, test.contradicted)
		}
		if r := read(t, test.kind, path, dir); !strings.Contains(r.Truth, path) || r.Contradicted != test.contradicted {
			t.Errorf("%s: report says %q, %d", test.name, r.Truth, r.Contradicted)
		}
	}
	for _, test := range []struct{ kind, text, want string }{
		{"--labels", "a.txt", "labels.tsv:1: wanted two ids and perhaps a label, separated by tabs, got 1 fields"},
		{"--labels", "\na.txt\tb.txt", `labels.tsv:2: id: wanted that of a document with text, got "b.txt"`},
		{"--labels", "a.txt\tfar.txt\tsame", `label: wanted "copy" or "different", got "same"`},
		{"--labels", "a.txt\tfar.txt\na2.txt\tfar.txt\tdifferent", "label: wanted that of a pair of the same texts before, copies, got different"},
		{"--groups", "a.txt", "wanted an id and a group, separated by a tab, got 1 fields"},
		{"--groups", "b.txt\tx", `id: wanted that of a document with text, got "b.txt"`},
	} {
		path := write(t, filepath.Join(t.TempDir(), "labels.tsv"), test.text)
		if _, stderr := call(t, 1, test.kind, path, dir); !strings.Contains(stderr, test.want) {
			t.Errorf("%q: stderr %q, want %q", test.text, stderr, test.want)
		}
	}
}

// TestTallied scores random pairs one by one.
func TestTallied(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var pairs []judged
	for range 3000 {
		pairs = append(pairs, judged{pair{lanes: 60 + rnd.IntN(41), hamming: rnd.IntN(20), words: 1 + rnd.IntN(40)}, verdict(rnd.IntN(3))})
	}
	tallies := tallied(pairs, 20)
	for _, at := range []threshold{{90, 3, 9}, {60, -1, 20}, {100, 10, 1}, {75, 5, 15}} {
		want := score{threshold: at}
		rule := at.rule()
		for _, p := range pairs {
			folds := p.lanes >= rule.Lanes || rule.Mode != signature.SketchOnly && p.hamming <= at.Hamming
			if folds = folds && p.words >= rule.MinWords; p.verdict == copied && folds {
				want.Found++
			} else if p.verdict == copied {
				want.Missed++
			} else if p.verdict == different && folds {
				want.Wrong++
			}
		}
		want.Precision = float64(want.Found) / float64(want.Found+want.Wrong)
		want.Recall = float64(want.Found) / float64(want.Found+want.Missed)
		if got := at.score(tallies); got != want || got.Found == 0 {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

// TestRecommend has data in which one threshold is right.
func TestRecommend(t *testing.T) {
	before := threshold{90, 3, 9}
	var grid []threshold
	for _, l := range []int{100, 95, 90, 85, 80, 75, 70} {
		for h := -1; h <= 5; h++ {
			grid = append(grid, threshold{l, h, 9})
		}
	}
	many := func(n, lanes, hamming int, v verdict) (all []judged) {
		for range n {
			all = append(all, judged{pair{lanes: lanes, hamming: hamming, words: 50}, v})
		}
		return all
	}
	join := func(parts ...[]judged) (all []judged) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	for _, test := range []struct {
		name  string
		pairs []judged
		want  threshold
		why   string
	}{
		{"too few", many(19, 72, 20, copied), before, "too few"},
		{"nothing speaks against it", many(100, 95, 20, copied), before, "finds more copies"},
		{"copies below", join(many(50, 95, 20, copied), many(50, 81, 20, copied), many(10, 79, 20, different)), threshold{80, 3, 9}, "most copies"},
		{"different above", join(many(50, 97, 20, copied), many(10, 92, 20, different)), threshold{95, 3, 9}, "most copies"},
		{"simhash misleads", join(many(50, 97, 20, copied), many(10, 20, 2, different)), threshold{90, 1, 9}, "most copies"},
		{"simhash helps", join(many(50, 97, 20, copied), many(10, 75, 5, copied), many(90, 75, 6, different)), threshold{90, 5, 9}, "most copies"},
		{"borderline counts for neither", join(many(50, 95, 20, copied), many(90, 91, 20, between)), before, "finds more copies"},
		{"none is right", join(many(50, 97, 20, copied), many(10, 100, 0, different), many(10, 92, 20, different)), threshold{95, 3, 9}, "greatest"},
	} {
		got, why := recommend(before, grid, tallied(test.pairs, 9), .99)
		if got.threshold != test.want && test.name != "none is right" || !strings.Contains(why, test.why) {
			t.Errorf("%s: got %s, %q, want %s, %q", test.name, got.threshold, why, test.want, test.why)
		}
		if test.name == "none is right" && got.Wrong != 10 {
			t.Errorf("%s: %d wrong, want 10", test.name, got.Wrong)
		}
	}
}
