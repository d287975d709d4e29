//go:build unix

package near_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// Verified recall on 100,000 pages takes three minutes:
//
//	NEARDUP_DATA=DIRECTORY go test ./plugin/near -run VerifyRecall -v -verify.pages 100000 -timeout 30m
var verifyPages = flag.Int("verify.pages", 0, "pages of the texts in NEARDUP_DATA by which TestVerifyRecall measures; 0 for those that come with the project")

// few is how many pages there are without the flag.
const few = 500

// planted returns real pages, and copies of a fifth of them that were edited a little or much, in a
// random order.
func planted(t *testing.T, rnd *rand.Rand, n int) (pages []string) {
	var real []neartest.Doc
	if n == 0 {
		real, n = neartest.Sections(neartest.Shipped(t), 1500), few
	}
	for _, set := range []string{"plain-en/docs.jsonl.gz", "enron-spam/docs.jsonl.gz", "llvm-docs-versions/docs.jsonl.gz", "docs-versions/docs.jsonl.gz"} {
		if n > few && len(real) < n {
			parts := neartest.Sections(neartest.Docs(t, set), 1500)
			real = append(real, parts[:min(len(parts), n/2)]...)
		}
	}
	rnd.Shuffle(len(real), func(i, j int) { real[i], real[j] = real[j], real[i] })
	n = min(n, len(real)*5/4)
	for i := range n {
		if i%5 < 4 {
			pages = append(pages, real[i*4/5].Text)
			continue
		}
		words := strings.Fields(real[rnd.IntN(i*4/5)].Text)
		for range rnd.IntN(1 + len(words)/20) {
			words[rnd.IntN(len(words))] = fmt.Sprint("edited", rnd.IntN(1000))
		}
		pages = append(pages, strings.Join(words, " "))
	}
	return pages
}

// joined returns the pages that have a page of a resemblance of at least r, by the sets of shingles.
// Two such pages share one of the least shingles of each, as many as the other might lack and one
// more (prefix filtering: Chaudhuri, Ganti, Kaushik, ICDE 2006), so nothing is missed.
func joined(sets [][]uint64, r float64) []bool {
	in := map[uint64][]int32{} // pages by their least shingles
	found, tried := make([]bool, len(sets)), make([]int, len(sets))
	for i, set := range sets {
		slices.Sort(set)
		lacked := len(set) - int(math.Ceil(r*float64(len(set))-1e-9))
		for _, s := range set[:min(len(set), lacked+1)] {
			for _, j := range in[s] {
				if tried[j] != i+1 && !(found[i] && found[j]) && share(set, sets[j]) >= r {
					found[i], found[j] = true, true
				}
				tried[j] = i + 1
			}
			in[s] = append(in[s], int32(i))
		}
	}
	return found
}

// share is the resemblance of two sorted sets.
func share(a, b []uint64) float64 {
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

// Of the pages that have a page of a resemblance of .8, nearly all are joined, and no other.
func TestVerifyRecall(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	pages := planted(t, rand.New(rand.NewPCG(91, 92)), *verifyPages)
	m := newMapping(t, map[string]any{"terms": "none"})
	body := bleve.NewTextFieldMapping()
	body.Index, body.DocValues, body.IncludeInAll = false, false, false
	m.DefaultMapping.AddFieldMappingsAt("body", body, plugin.FieldMapping(bands))
	x, err := plugin.New(t.TempDir()+"/index", m)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	maker, err := signature.NewMaker(signature.DefaultParams())
	if err != nil {
		t.Fatal(err)
	}
	var signatures []signature.Signature
	var sets [][]uint64
	batch, begin := x.NewBatch(), cpu(t)
	for i, text := range pages {
		if err := batch.Index(fmt.Sprint(i), map[string]any{"body": text}); err != nil {
			t.Fatal(err)
		}
		if batch.Size() == 1000 || i == len(pages)-1 {
			if err := x.Batch(batch); err != nil {
				t.Fatal(err)
			}
			batch.Reset()
		}
	}
	indexing := cpu(t) - begin
	for _, text := range pages {
		maker.Text([]byte(text))
		set := slices.Clone(maker.Shingles())
		sig := maker.Signature()
		if len(set) == 0 && sig.Tokens > 0 {
			set = []uint64{sig.Exact} // a text shorter than a shingle counts as one
		}
		sets, signatures = append(sets, set), append(signatures, sig)
	}
	want, all := joined(sets, .8), 0
	for _, is := range want {
		if is {
			all++
		}
	}
	if all < len(pages)/20 {
		t.Errorf("%d of %d pages are near one: this test shows little", all, len(pages))
	}
	t.Logf("%d pages, indexed in %.0f µs each; %d have a page of a resemblance of .8", len(pages), micros(indexing, len(pages)), all)
	for _, q := range []near.SimilarQuery{
		{Rule: signature.Rule{Lanes: 90}},
		{Rule: signature.Rule{Lanes: 80}},
		{Verify: signature.Verify{Resemblance: .8}},
	} {
		if _, err := near.Nearest(context.Background(), x, []near.SimilarQuery{{Signature: &signatures[0], Rule: q.Rule, Verify: q.Verify}}); err != nil { // fills tables
			t.Fatal(err)
		}
		right, wrong, looked, all := 0, 0, min(len(pages), 20_000), 0
		for _, is := range want[:looked] {
			if is {
				all++
			}
		}
		begin = cpu(t)
		for i := 0; i < looked; i += 1000 {
			var queries []near.SimilarQuery
			for j := i; j < min(i+1000, looked); j++ {
				own := q
				own.Signature, own.ID = &signatures[j], fmt.Sprint(j)
				queries = append(queries, own)
			}
			hits, err := near.Nearest(context.Background(), x, queries)
			if err != nil {
				t.Fatal(err)
			}
			for j, hit := range hits {
				switch {
				case hit == nil:
				case want[i+j]:
					right++
				default:
					wrong++
				}
			}
		}
		took := cpu(t) - begin
		t.Logf("lanes %d, verify %v: the nearest of %d pages: joined %.4f of those, and %d others, in %.1f µs of CPU a page", q.Rule.Lanes, q.Verify.Resemblance, looked, float64(right)/float64(all), wrong, micros(took, looked))
		if q.Verify.On() && (float64(right) < .99*float64(all) || wrong > 0) {
			t.Errorf("with Verify, %d of %d are joined, and %d others", right, all, wrong)
		}
	}
	for _, o := range []near.GroupsOptions{
		{By: near.Components},
		{By: near.Components, Rule: signature.Rule{Lanes: 80}},
		{By: near.Components, Verify: signature.Verify{Resemblance: .8}},
		{By: near.Leaders, Verify: signature.Verify{Resemblance: .8}},
	} {
		right, wrong := 0, 0
		count := func(id string) {
			if i, _ := strconv.Atoi(id); want[i] {
				right++
			} else {
				wrong++
			}
		}
		begin = cpu(t)
		for g, err := range near.Groups(context.Background(), x, o) {
			if err != nil {
				t.Fatal(err)
			}
			count(g.Head.ID)
			for _, m := range g.Members {
				count(m.ID)
			}
		}
		t.Logf("%s, lanes %d, verify %v: joined %.4f of them, and %d others, in %.1f µs of CPU a page", o.By, o.Rule.Lanes, o.Verify.Resemblance, float64(right)/float64(all), wrong, micros(cpu(t)-begin, len(pages)))
		if o.Verify.On() && (o.By == near.Components && float64(right) < .99*float64(all) || wrong > 0) {
			t.Errorf("%s with Verify: %d of %d are joined, and %d others", o.By, right, all, wrong)
		}
	}
}

func micros(d time.Duration, pages int) float64 {
	return float64(d.Nanoseconds()) / 1000 / float64(pages)
}

// cpu is what this process has used.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
