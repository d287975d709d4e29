package signature_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

var allCorpora = flag.Bool("corpora.all", false, "TestEstimatesOnCorpora takes all corpora, not the smallest one")

// texts returns the texts of a corpus by their ids.
func texts(docs []neartest.Doc) map[string][]byte {
	all := make(map[string][]byte, len(docs))
	for _, d := range docs {
		all[d.ID] = []byte(d.Text)
	}
	return all
}

// naturalPair is two documents of a data set that resemble each other, and their exact resemblance over
// shingles of 4 words, by the tokenizer of the authors of the data set: ours differs a little.
type naturalPair struct {
	A, B string
	J    float64
}

// naturalPairs reads the pairs of a shared data set, or skips the test.
func naturalPairs(t *testing.T, set string) (all []naturalPair) {
	t.Helper()
	neartest.Lines(t, set, func(line string) error {
		columns := strings.Split(line, "\t") // a, b, J
		j, err := strconv.ParseFloat(columns[2], 64)
		all = append(all, naturalPair{columns[0], columns[1], j})
		return err
	})
	return all
}

// checkCounts compares the tokens and distinct shingles of every step-th document with the
// naive set of shingles.
func checkCounts(t *testing.T, docs []neartest.Doc, step int) {
	t.Helper()
	p := signature.DefaultParams()
	for i := 0; i < len(docs); i += step {
		text := []byte(docs[i].Text)
		s := signature.Of(p, text)
		tokens := hashed(text, p)
		if shingles := len(neartest.Shingles(tokens, p.Width)); s.Tokens != uint64(len(tokens)) || s.Shingles != uint64(shingles) {
			t.Errorf("%s: got %d tokens, %d shingles, want %d, %d", docs[i].ID, s.Tokens, s.Shingles, len(tokens), shingles)
		}
	}
}

// estimates sums up the errors of estimates.
type estimates struct {
	n, errors, squares, binomial float64
}

// add counts one estimate, and the variance it would have if the lanes were independent.
func (e *estimates) add(off, variance float64) {
	e.n++
	e.errors += off
	e.squares += off * off
	e.binomial += variance
}

func (e *estimates) check(t *testing.T, what string) {
	t.Helper()
	mean, stderr := e.errors/e.n, math.Sqrt(e.binomial)/e.n
	t.Logf("%s, %v pairs: mean error %+.5f, standard error %.5f, variance/binomial %.3f", what, e.n, mean, stderr, e.squares/e.binomial)
	if !(math.Abs(mean) <= 4*stderr) {
		t.Errorf("%s: the mean error is %v, want 0 within %v", what, mean, 4*stderr)
	}
}

// checkEstimates compares the estimated resemblance and containment of that many pairs with
// the exact ones. Each pair has a seed of its own. Otherwise pairs made from one template,
// like the licences, would all be wrong in the same direction.
func checkEstimates(t *testing.T, docs []neartest.Doc, pairs []naturalPair, sample int) {
	t.Helper()
	all := texts(docs)
	rnd := rand.New(rand.NewPCG(101, 102))
	rnd.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	var resemblance, containment estimates
	for i := 0; i < len(pairs) && resemblance.n < float64(sample); i++ {
		a, b := all[pairs[i].A], all[pairs[i].B]
		if pairs[i].J == 1 || len(a)+len(b) > 100_000 {
			continue // equal sets need no estimate, and the naive way is slow
		}
		p := signature.DefaultParams()
		p.Seed = uint64(i)
		m := newMaker(t, p)
		m.Text(a)
		sa := m.Signature()
		m.Text(b)
		sb := m.Signature()
		setA, setB := neartest.Shingles(hashed(a, p), p.Width), neartest.Shingles(hashed(b, p), p.Width)
		want := neartest.Resemblance(setA, setB)
		got, ok := sa.Resemblance(&sb)
		aInB, _, also := sa.Containment(&sb)
		if !ok || !also || math.Abs(want-pairs[i].J) > .1 {
			t.Errorf("%+v: got %v, %v, %v, exact is %v", pairs[i], got, ok, also, want)
		}
		variance := want * (1 - want) / 100
		resemblance.add(got.Value-want, variance)
		// The change of containment with resemblance, by which the error grows.
		slope := float64(len(setA)+len(setB)) / float64(len(setA)) / ((1 + want) * (1 + want))
		containment.add(aInB.Value-neartest.Containment(setA, setB), slope*slope*variance)
	}
	resemblance.check(t, "resemblance")
	containment.check(t, "containment")
}

// Counts and estimates on texts of several kinds: the smallest corpus, or all.
func TestEstimatesOnCorpora(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		docs, pairs  string
		step, sample int
	}{
		{"mccormick-plagiarism/docs_2500.jsonl.gz", "mccormick-plagiarism/natural_2500.tsv.gz", 50, math.MaxInt},
		{"licenses/spdx_npm.jsonl.gz", "licenses/natural_spdx_npm.tsv.gz", 10, 600},
		{"licenses/project_files.jsonl.gz", "licenses/natural_project_files.tsv.gz", 20, 1000},
		{"docs-versions/docs.jsonl.gz", "docs-versions/natural.tsv.gz", 20, 400},
	} {
		docs := neartest.Docs(t, tt.docs)
		checkCounts(t, docs, tt.step)
		checkEstimates(t, docs, naturalPairs(t, tt.pairs), tt.sample)
		if !*allCorpora {
			break
		}
	}
}

// McCormick's articles: each of the 20 that were copied with edits is found, and no other
// pair of 3,123,750 is.
func TestPlagiarism(t *testing.T) {
	t.Parallel()
	docs := neartest.Docs(t, "mccormick-plagiarism/docs_2500.jsonl.gz")
	pairs := naturalPairs(t, "mccormick-plagiarism/natural_2500.tsv.gz")
	copied := map[[2]string]bool{}
	for _, p := range pairs {
		if p.J >= .9 {
			copied[[2]string{p.A, p.B}], copied[[2]string{p.B, p.A}] = true, true
		}
	}
	all := make([]signature.Signature, len(docs))
	for i, d := range docs {
		all[i] = signature.Of(signature.DefaultParams(), []byte(d.Text))
	}
	rule, found := signature.Rule{}, 0
	for i := range all {
		for j := range i {
			if !rule.Duplicates(&all[i], &all[j]) {
				continue
			}
			found++
			if !copied[[2]string{docs[i].ID, docs[j].ID}] {
				match, _ := rule.Match(&all[i], &all[j])
				t.Errorf("%s and %s match, %+v, but are not copies", docs[i].ID, docs[j].ID, match)
			}
		}
	}
	if want := len(copied) / 2; found != want || want != 20 {
		t.Errorf("found %d pairs, want all of %d, which are 20", found, want)
	}
}
