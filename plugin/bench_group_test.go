package plugin_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// BenchmarkGroupOfMany writes one more copy into a family of 100 and into one of 100,000, of 1,000 with -short, in turns: copies of one
// text, and near-copies, which differ in one word of 200. lookup is the judging alone, a dry run. What to compare is the ratio:
//
//	go test -run '^$' -bench GroupOfMany -benchtime 300x -timeout 30m ./plugin
func BenchmarkGroupOfMany(b *testing.B) {
	many := 100_000
	if testing.Short() {
		many = 1000
	}
	for _, kind := range []string{"equal", "near"} {
		b.Run(kind, func(b *testing.B) {
			rnd := rand.New(rand.NewPCG(1, 1))
			words := strings.Fields(fixtureText(1, 200))
			text := func() map[string]any {
				own := append([]string(nil), words...)
				if kind == "near" {
					own[rnd.IntN(len(own))] = fmt.Sprint("x", rnd.Uint32())
				}
				return map[string]any{"body": strings.Join(own, " ")}
			}
			var all [2]bleve.Index
			for i, n := range []int{100, many} {
				x, err := plugin.New(filepath.Join(b.TempDir(), "x"), benchMapping(true, false))
				if err != nil {
					b.Fatal(err)
				}
				defer x.Close()
				if err := plugin.SetPolicy(b.Context(), x, &admission.Policy{Group: true}); err != nil {
					b.Fatal(err)
				}
				for at := 0; at < n; {
					batch := x.NewBatch()
					for ; batch.Size() < 1000 && at < n; at++ {
						if err := batch.Index(fmt.Sprint(at), text()); err != nil {
							b.Fatal(err)
						}
					}
					if err := x.Batch(batch); err != nil {
						b.Fatal(err)
					}
				}
				if err := must(plugin.Of(x)).ForceMerge(b.Context(), nil); err != nil {
					b.Fatal(err)
				}
				all[i] = x
			}
			var took [2][2][]float64 // of dry runs, and of writes
			for round := 0; b.Loop(); round++ {
				for i, x := range all {
					batch := x.NewBatch()
					if err := batch.Index(fmt.Sprint("new", round), text()); err != nil {
						b.Fatal(err)
					}
					for k, write := range []func() error{
						func() error { _, err := plugin.DryRun(b.Context(), x, batch); return err },
						func() error { return x.Batch(batch) },
					} {
						start := time.Now()
						if err := write(); err != nil {
							b.Fatal(err)
						}
						took[k][i] = append(took[k][i], float64(time.Since(start).Microseconds()))
					}
				}
			}
			for k, name := range []string{"lookup", "write"} {
				few, lots := median(took[k][0]), median(took[k][1])
				b.ReportMetric(few, name+"-µs")
				b.ReportMetric(lots/few, name+"-times-of-many")
			}
		})
	}
}
