package admission_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// BenchmarkKeptMarks writes the same batches of 10 and of 500 documents, in turns, to an index without marks and to one
// that has so many. It reports what a document costs more there: the median of all turns, in CPU of the whole process.
// With no marks on both sides it says how far the figure can be trusted.
//
//	go test -run '^$' -bench KeptMarks -benchtime 100x ./plugin/admission
func BenchmarkKeptMarks(b *testing.B) {
	for _, where := range []string{"memory", "disk"} {
		for _, size := range []int{10, 500} {
			for _, many := range []int{0, 1000, 10_000, 100_000} {
				if testing.Short() && (many > 1000 || size > 10) {
					continue // they take minutes
				}
				b.Run(fmt.Sprintf("%s/batch=%d/%d", where, size, many), func(b *testing.B) {
					plain, marked := "", ""
					if where == "disk" {
						plain, marked = filepath.Join(b.TempDir(), "plain"), filepath.Join(b.TempDir(), "marked")
					}
					benchmarkKeptMarks(b, [2]string{plain, marked}, size, many)
				})
			}
		}
	}
}

func benchmarkKeptMarks(b *testing.B, paths [2]string, size, many int) {
	var sides [2]bleve.Index
	for i, path := range paths {
		sides[i] = newIndex(b, path)
		if err := plugin.SetPolicy(context.Background(), sides[i], &admission.Policy{Known: admission.Reject}); err != nil {
			b.Fatal(err)
		}
	}
	rnd := rand.New(rand.NewPCG(1, 9))
	var marks []admission.Mark
	for n := range many {
		s := signature.Of(signature.DefaultParams(), []byte(fmt.Sprint("a text that is marked, number ", n, " of all that there are, and ", rnd.Uint64())))
		marks = append(marks, admission.Mark{Name: fmt.Sprint("m", n), Label: admission.Spam, Signature: &s})
	}
	if err := typed(sides[1]).SetMark(context.Background(), marks...); err != nil {
		b.Fatal(err)
	}
	n := 0
	texts := func() (all []string) {
		for range size {
			n++
			all = append(all, words(rnd, n))
		}
		return all
	}
	write := func(x bleve.Index, texts []string) time.Duration {
		began := neartest.CPU()
		batch := x.NewBatch()
		for i, text := range texts {
			if err := batch.Index(fmt.Sprint(n-i), map[string]any{"body": text}); err != nil {
				b.Fatal(err)
			}
		}
		if err := x.Batch(batch); err != nil {
			b.Fatal(err)
		}
		return neartest.CPU() - began
	}
	for _, x := range sides { // the first one reads the marks
		write(x, texts())
	}
	runtime.GC()
	var more, all []float64
	for first := 0; b.Loop(); first = 1 - first {
		var took [2]float64
		batch := texts()
		for _, i := range []int{first, 1 - first} {
			took[i] = float64(write(sides[i], batch).Nanoseconds()) / 1000 / float64(size)
		}
		more, all = append(more, took[1]-took[0]), append(all, took[1])
	}
	slices.Sort(more)
	slices.Sort(all)
	b.ReportMetric(more[len(more)/2], "more-µs/document")
	b.ReportMetric(all[len(all)/2], "cpu-µs/document")
}
