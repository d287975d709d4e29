package admission_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// BenchmarkKeptMarks writes a batch of 10 documents to an index on disk that has so many marks: bleve
// copies and writes all internal values anew with each batch, and each mark is one.
//
//	go test -run '^$' -bench KeptMarks -benchtime 20x ./plugin/admission
func BenchmarkKeptMarks(b *testing.B) {
	for _, many := range []int{0, 1000, 10_000, 100_000} {
		if testing.Short() && many > 1000 {
			break // they take minutes
		}
		b.Run(fmt.Sprint(many), func(b *testing.B) {
			x := newIndex(b, filepath.Join(b.TempDir(), "x"))
			if err := plugin.SetPolicy(context.Background(), x, &admission.Policy{Known: admission.Reject}); err != nil {
				b.Fatal(err)
			}
			rnd := rand.New(rand.NewPCG(1, 9))
			var marks []admission.Mark
			for n := range many {
				s := signature.Of(signature.DefaultParams(), []byte(fmt.Sprint("a text that is marked, number ", n, " of all that there are, and ", rnd.Uint64())))
				marks = append(marks, admission.Mark{Name: fmt.Sprint("m", n), Label: admission.Spam, Signature: &s})
			}
			if err := plugin.SetMark(context.Background(), x, marks...); err != nil {
				b.Fatal(err)
			}
			n := 0
			write := func() {
				batch := x.NewBatch()
				for range 10 {
					n++
					if err := batch.Index(fmt.Sprint(n), map[string]any{"body": words(rnd, n)}); err != nil {
						b.Fatal(err)
					}
				}
				if err := x.Batch(batch); err != nil {
					b.Fatal(err)
				}
			}
			write() // the first one reads the marks
			began := cpuTime(b)
			for b.Loop() {
				write()
			}
			b.ReportMetric(float64((cpuTime(b)-began).Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
}

// cpuTime is what this process has used, all threads together.
func cpuTime(tb testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
