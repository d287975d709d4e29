package table_test

import (
	"flag"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

var most = flag.Int("pairs", 500, "documents of a set of which all pairs are compared")

// allPairs compares lookups of all with comparing all.
func allPairs(t *testing.T, all []*signature.Signature) {
	t.Helper()
	rule := signature.Rule{}
	c := table.NewColumn(len(all))
	for i, s := range all {
		c.Set(i, s)
	}
	f := table.Freeze(c, nil, nil).Keyed(rule, table.Plan{})
	var next, pairs atomic.Int64
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for n := next.Add(1) - 1; n < int64(len(all)) && !t.Failed(); n = next.Add(1) - 1 {
				var want []int
				for i, other := range all {
					if neartest.Duplicates(rule, all[n], other) {
						want = append(want, i)
					}
				}
				var p table.Probe
				p.Prepare(rule, table.Plan{}, all[n], 0)
				var got []int
				f.Near(&p, func(i int) bool {
					got = append(got, i)
					return true
				})
				if slices.Sort(got); !slices.Equal(got, want) {
					t.Errorf("near %d are %v, want %v", n, got, want)
				}
				pairs.Add(int64(len(want)))
			}
		})
	}
	wait.Wait()
	t.Logf("%d documents, %d pairs with themselves", len(all), pairs.Load())
}

// No pair of real text is missed:
//
//	go test ./analysis/signature/table -v -run AllPairs -timeout 1h -pairs 1000000
func TestAllPairs(t *testing.T) {
	for _, set := range []string{
		"docs-versions/docs.jsonl.gz", "licenses/spdx_npm.jsonl.gz", "licenses/project_files.jsonl.gz",
		"mccormick-plagiarism/docs_1000.jsonl.gz", "sms-spam/docs.jsonl.gz", "enron-spam/docs.jsonl.gz",
	} {
		t.Run(set, func(t *testing.T) {
			var all []*signature.Signature
			for _, d := range neartest.FirstDocs(t, set, *most) {
				s := signature.Of(signature.DefaultParams(), []byte(d.Text))
				all = append(all, &s)
			}
			allPairs(t, all)
		})
	}
}

// No pair of short texts is missed: texts of 1 to 14 words from a vocabulary of 3, which
// have few shingles, most of them in common with others, and stuffed texts, which repeat
// one phrase.
func TestAllPairsOfShortTexts(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(33, 34))
	var all []*signature.Signature
	for n := min(*most, 3000); len(all) < n; {
		phrase := make([]string, 1+rnd.IntN(14))
		for i := range phrase {
			phrase[i] = string("abc"[rnd.IntN(3)])
		}
		if rnd.IntN(4) == 0 {
			phrase = slices.Repeat(phrase[:min(2, len(phrase))], 1+rnd.IntN(9))
		}
		s := signature.Of(signature.DefaultParams(), []byte(strings.Join(phrase, " ")))
		all = append(all, &s)
	}
	allPairs(t, all)
}

// No pair is missed at the threshold: at most 10 lanes differ, one in each band except one,
// or one more; at most 3 bits of the simhash differ, one in each block except one, or one
// more.
func TestAllPairsAtTheThreshold(t *testing.T) {
	rnd := rand.New(rand.NewPCG(31, 32))
	var all []*signature.Signature
	for n := min(*most, 100_000); len(all) < n; {
		s := random(rnd, 100)
		all = append(all, s)
		for range rnd.IntN(3) {
			c := *s
			c.Exact = rnd.Uint64()
			c.Sketch = slices.Clone(s.Sketch)
			if rnd.IntN(2) == 0 {
				c.Simhash = rnd.Uint64()
				spread(rnd, c.Sketch, 9+rnd.IntN(3))
			} else {
				c.Sketch = make(sketch.Sketch, len(s.Sketch))
				for i := range 100 {
					c.Sketch.Set(i, uint8(rnd.Uint32()))
				}
				for _, block := range rnd.Perm(4)[:2+rnd.IntN(3)] {
					c.Simhash ^= 1 << (16*block + rnd.IntN(16))
				}
			}
			all = append(all, &c)
		}
	}
	allPairs(t, all)
}

// spread changes n lanes, in as many bands of the lookup as possible.
func spread(rnd *rand.Rand, s sketch.Sketch, n int) {
	order := rnd.Perm(11)
	for i := range n {
		begin, end := sketch.Bounds(len(s), 11, order[i%11])
		word := begin + rnd.IntN(end-begin)
		s[word] ^= uint64(1+rnd.IntN(1<<8-1)) << (8 * rnd.IntN(min(8, 100-8*word)))
	}
}
