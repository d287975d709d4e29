package near_test

import (
	"flag"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// size runs the tests of many documents, which take minutes and 3 GB:
//
//	go test ./plugin/near -run 'AtSize' -v -passages.size -timeout 1h
var size = flag.Bool("passages.size", false, "passages in 34,000 mails, in all manuals and licences, and planted in 100,000 documents")

func big(t *testing.T) {
	t.Helper()
	if !*size {
		t.Skip("takes minutes: -passages.size")
	}
}

var seed = maphash.MakeSeed()

// scan yields the runs of 50 words of a text as hashes, and how many words the text has.
func scan(text string, yield func(at int, run uint64)) (words int) {
	var ends []int
	var joined []byte
	for _, token := range token.Split([]byte(text)) {
		joined = append(append(joined, token.Term...), ' ')
		ends = append(ends, len(joined))
	}
	for at := 0; at+50 <= len(ends); at++ {
		from := 0
		if at > 0 {
			from = ends[at-1]
		}
		yield(at, maphash.Bytes(seed, joined[from:ends[at+49]]))
	}
	return len(ends)
}

// truth is what documents have in common with some given texts, by plain loops over all runs.
type truth struct {
	given []string
	has   map[uint64][]int          // by run, the given texts
	runs  []map[uint64][]int        // of each given text, places
	found []map[string]map[int]bool // by given text and document, the places of common runs in the given text
	words []int
}

func newTruth(given []string) *truth {
	o := &truth{given: given, has: map[uint64][]int{}}
	for i, text := range given {
		own := map[uint64][]int{}
		o.words = append(o.words, scan(text, func(at int, run uint64) {
			if own[run] = append(own[run], at); len(own[run]) == 1 {
				o.has[run] = append(o.has[run], i)
			}
		}))
		o.runs, o.found = append(o.runs, own), append(o.found, map[string]map[int]bool{})
	}
	return o
}

func (o *truth) add(id, text string) {
	scan(text, func(_ int, run uint64) {
		for _, i := range o.has[run] {
			if o.found[i][id] == nil {
				o.found[i][id] = map[int]bool{}
			}
			for _, at := range o.runs[i][run] {
				for k := range 50 {
					o.found[i][id][at+k] = true
				}
			}
		}
	})
}

// check compares all hits, shares and spans of the given texts with plain loops.
func (o *truth) check(t *testing.T, x bleve.Index) {
	t.Helper()
	hits, least, all := 0, time.Hour, time.Duration(0)
	for i, text := range o.given {
		start := time.Now()
		res := passagesIn(t, x, near.PassagesRequest{Query: near.PassagesQuery{Text: []string{text}, MaxShare: 1}, Size: 100_000})
		took := time.Since(start)
		least, all = min(least, took), all+took
		if len(res.Hits) != len(o.found[i]) || res.Total != uint64(len(res.Hits)) || res.TotalRelation != bleve.TotalRelationEq {
			t.Fatalf("text %d: got %d hits, want %d", i, len(res.Hits), len(o.found[i]))
		}
		for _, h := range res.Hits {
			in := o.found[i][h.ID]
			var want []near.Span
			for at := range o.words[i] {
				switch {
				case !in[at]:
				case in[at-1]:
					want[len(want)-1].To++
				default:
					want = append(want, near.Span{From: at, To: at + 1})
				}
			}
			if len(in) == 0 || !h.Verified || h.Words != len(in) || len(h.Given) != len(want) || h.InHit.Value != float64(len(in))/float64(o.words[i]) {
				t.Fatalf("text %d: %s: got %d words in %v, want %d in %v", i, h.ID, h.Words, h.Given, len(in), want)
			}
			for n, s := range h.Given {
				if s.From != want[n].From || s.To != want[n].To {
					t.Fatalf("text %d: %s: got %v, want %v", i, h.ID, h.Given, want)
				}
			}
		}
		hits += len(res.Hits)
	}
	t.Logf("%d texts, %d hits, each as in plain loops; a search took %v on average, %v at least", len(o.given), hits, all/time.Duration(len(o.given)), least)
}

// Mails with quoted replies, the manuals' versions, and licences: all of them, asked by every so many.
func TestRealAtSize(t *testing.T) {
	big(t)
	for _, set := range []struct {
		path  string
		every int
	}{{"enron-spam/docs.jsonl.gz", 60}, {"docs-versions/docs.jsonl.gz", 60}, {"licenses/project_files.jsonl.gz", 20}, {"licenses/spdx_npm.jsonl.gz", 10}} {
		t.Run(strings.ReplaceAll(set.path, "/", " "), func(t *testing.T) {
			docs := neartest.Docs(t, set.path)
			var given []string
			x := newQuotingIndex(t, with(t, 50, unindexed))
			for i, d := range docs {
				if i%set.every == 0 {
					given = append(given, d.Text)
				}
			}
			o := newTruth(given)
			for chunk := range slices.Chunk(docs, 500) {
				b := x.NewBatch()
				for _, d := range chunk {
					o.add(d.ID, d.Text)
					if err := b.Index(d.ID, map[string]any{"body": d.Text}); err != nil {
						t.Fatal(err)
					}
				}
				if err := x.Batch(b); err != nil {
					t.Fatal(err)
				}
			}
			t.Logf("%d documents", len(docs))
			o.check(t, x)
		})
	}
}

// Passages of 30 to 500 words, planted in 100,000 documents; and one passage that all 100,000 have.
func TestPlantedAtSize(t *testing.T) {
	big(t)
	const documents = 100_000
	w := newWriter(t)
	rnd := rand.New(rand.NewPCG(61, 62))
	var planted, given []string
	for range 300 {
		n := 30 + rnd.IntN(471)
		from := rnd.IntN(len(w.words) - n)
		planted = append(planted, strings.Join(w.words[from:from+n], " "))
		given = append(given, w.text(false)[:300]+" "+planted[len(planted)-1])
	}
	o := newTruth(given)
	everywhere := w.text(false)[:600]
	x := newQuotingIndex(t, with(t, 50, unindexed))
	for n := 0; n < documents; {
		b := x.NewBatch()
		for range 1000 {
			text := w.text(false) + "\n> " + planted[rnd.IntN(len(planted))] + "\n"
			if n%20 != 0 {
				text = w.text(n%7 == 0)
			}
			id := fmt.Sprint(n)
			o.add(id, text)
			if err := b.Index(id, map[string]any{"body": []string{text, everywhere}}); err != nil {
				t.Fatal(err)
			}
			n++
		}
		if err := x.Batch(b); err != nil {
			t.Fatal(err)
		}
	}
	o.check(t, x)
	for i := range 2 {
		share := float64(i)
		start := time.Now()
		res := passagesIn(t, x, near.PassagesRequest{Query: near.PassagesQuery{Text: []string{everywhere}, MaxShare: share}})
		t.Logf("a passage that all have, max_share %v: %d hits, %d passed over, %v", share, res.Total, res.PassedOver, time.Since(start))
		if share == 0 && (res.Total != 0 || res.PassedOver == 0) || share == 1 && res.Total != documents {
			t.Errorf("max_share %v: got %d hits, %d passed over", share, res.Total, res.PassedOver)
		}
	}
}

// peak returns the most memory that the program had of the system while f ran, in MB, and how long f took.
func peak(f func()) (mb int, took time.Duration) {
	runtime.GC()
	debug.FreeOSMemory()
	stop, done := make(chan bool), make(chan uint64)
	go func() {
		all := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		most := uint64(0)
		for ticker := time.NewTicker(2 * time.Millisecond); ; {
			metrics.Read(all)
			most = max(most, all[0].Value.Uint64()-all[1].Value.Uint64())
			select {
			case <-ticker.C:
			case <-stop:
				done <- most
				return
			}
		}
	}()
	start := time.Now()
	f()
	took = time.Since(start)
	close(stop)
	return int(<-done >> 20), took
}

// Documents of 10 and 50 MB, of words of their own and of one repeated sentence, that share a passage: the time is in proportion to the length,
// and so is the memory, for writing one, for finding it by a passage, and for looking up all of it.
func TestLongAtSize(t *testing.T) {
	big(t)
	rnd := rand.New(rand.NewPCG(63, 64))
	passage := some(rnd, 60)
	for _, repeats := range []bool{false, true} {
		took, most := map[int]time.Duration{}, map[int]int{}
		for _, mb := range []int{10, 50} {
			var b strings.Builder
			for b.Len() < mb<<19 {
				if repeats {
					b.WriteString("the quick brown fox jumps over the lazy dog and back ")
				} else {
					fmt.Fprintf(&b, "w%d ", rnd.IntN(1<<30))
				}
			}
			text := b.String() + passage + " " + b.String()
			b.Reset()
			x := newQuotingIndex(t, with(t, 50, unindexed))
			report := func(what string, f func()) {
				mem, d := peak(f)
				took[mb], most[mb] = took[mb]+d, max(most[mb], mem)
				t.Logf("%d MB, of one sentence: %v: %s in %v, at most %d MB of memory, the given text's %d among them", mb, repeats, what, d, mem, len(text)>>20)
			}
			report("written", func() { add(t, x, map[string]doc{"long": {values: []string{text}}}) })
			report("found by a passage", func() {
				res := passagesIn(t, x, near.PassagesRequest{Query: near.PassagesQuery{Text: []string{some(rnd, 20) + " " + passage}}})
				if len(res.Hits) != 1 || res.Hits[0].Words != 60 || res.Hits[0].Passages[0].Text != passage {
					t.Fatalf("%d MB: got %d hits", mb, len(res.Hits))
				}
			})
			report("looked up whole", func() {
				res := passagesIn(t, x, near.PassagesRequest{Query: near.PassagesQuery{Text: []string{text}}})
				if len(res.Hits) != 1 || res.Hits[0].InHit.Value != 1 || res.Hits[0].OfHit.Value != 1 {
					t.Fatalf("%d MB: got %d hits", mb, len(res.Hits))
				}
			})
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if took[50] > 20*took[10] || most[50] > 10*most[10] {
			t.Errorf("50 MB take %v and %d MB, 10 MB %v and %d MB: not in proportion", took[50], most[50], took[10], most[10])
		}
	}
}
