package marks

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// random is a sketch of random lanes, of which some are those of another.
func random(rnd *rand.Rand, lanes int, other sketch.Sketch, some int) sketch.Sketch {
	s := make(sketch.Sketch, sketch.Words(lanes))
	for i, lane := range rnd.Perm(lanes) {
		if other != nil && i < some {
			s.Set(lane, other.Lane(lane))
		} else {
			s.Set(lane, uint8(rnd.Uint32()))
		}
	}
	return s
}

// What lists find is what a comparison with every sketch finds, whatever number there is, after
// each one more; whole families that agree among themselves, too.
func TestAgreeing(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 5))
	for _, lanes := range []int{16, 99, 100, 150} {
		a, found := &agreeing{lanes: lanes}, 0
		var all []sketch.Sketch
		for n := range 1200 {
			var other sketch.Sketch
			if n > 0 && rnd.IntN(3) == 0 {
				other = all[rnd.IntN(n)]
			}
			all = append(all, random(rnd, lanes, other, rnd.IntN(lanes+1)))
			a.add(all[n])
			if n > 128 && n%37 != 0 {
				continue
			}
			for _, least := range []int{5, 16} {
				s := &signature.Signature{Lanes: lanes, Sketch: random(rnd, lanes, all[rnd.IntN(n+1)], least+rnd.IntN(4)-2)}
				var want, got []int
				for i, other := range all {
					agree := 0
					for lane := range lanes {
						if other.Lane(lane) == s.Sketch.Lane(lane) {
							agree++
						}
					}
					if agree >= least {
						want = append(want, i)
					}
				}
				a.with(s, uint8(least), func(i int) { got = append(got, i) })
				slices.Sort(got)
				found += len(want)
				if !slices.Equal(got, want) {
					t.Fatalf("%d of %d lanes, %d sketches: got %v, want %v", least, lanes, n+1, got, want)
				}
			}
		}
		if found < 100 {
			t.Errorf("found %d: this test shows little", found)
		}
		a.with(&signature.Signature{Lanes: lanes + 1, Sketch: make(sketch.Sketch, 100)}, 1, func(int) { t.Error("compared with other lanes") })
	}
}

// BenchmarkLike looks a document up among marks: what they add to the cost of a document, and the
// memory that they take, with their signatures.
func BenchmarkLike(b *testing.B) {
	for _, many := range []int{0, 1000, 10_000, 100_000} {
		if testing.Short() && many > 1000 {
			continue
		}
		b.Run(fmt.Sprint(many), func(b *testing.B) {
			rnd := rand.New(rand.NewPCG(1, 6))
			of := func() *signature.Signature {
				var words []string
				for range 80 {
					words = append(words, fmt.Sprint("w", rnd.IntN(10_000)))
				}
				s := signature.Of(signature.DefaultParams(), []byte(strings.Join(words, " ")))
				return &s
			}
			before := heap()
			m := Of(nil)
			m.read, m.all = true, map[string]*keptMark{}
			for n := range many {
				name := fmt.Sprint("m", n)
				m.all[name] = &keptMark{Mark: &admission.Mark{Name: name, Label: admission.Spam, Signature: of()}}
			}
			like := func(s *signature.Signature) *admission.Mark {
				mark, _, err := m.Like(&admission.Policy{Known: admission.Reject}, signature.Rule{}, time.Now(), Text{Signatures: []*signature.Signature{s}})
				if err != nil {
					b.Fatal(err)
				}
				return mark
			}
			like(of())
			grown := heap() - before
			var docs []*signature.Signature
			for range 10_000 { // more than a cache holds of what they need
				docs = append(docs, of())
			}
			b.ResetTimer()
			for n := 0; b.Loop(); n++ {
				if mark := like(docs[n%len(docs)]); mark != nil {
					b.Fatal(mark.Name)
				}
			}
			b.ReportMetric(float64(grown)/1e6, "MB")
		})
	}
}

// heap is how much is in use.
func heap() int64 {
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
