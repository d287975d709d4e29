package plugin_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// writing is a way to write: how many documents a batch has, how many writers there are, and
// whether copies of one text are written at the same time.
type writing struct {
	onDisk, meet            bool
	batch, writers, batches int
}

func (w writing) String() string {
	where, texts := "memory", "apart"
	if w.onDisk {
		where = "disk"
	}
	if w.meet {
		texts = "meeting"
	}
	return fmt.Sprintf("%s/%s/batch=%d/writers=%d", where, texts, w.batch, w.writers)
}

// copies is how many batches that follow each other have the same texts, where copies meet.
const copies = 16

// mailSize is the size of texts in bytes: that of mails. The larger a text, the less a policy adds.
const mailSize = 1500

// BenchmarkWrites is what near: tag adds to writing, in batches of some sizes, by some writers at the same time. Each
// round writes the same documents four times, each to an index of its own: to plain bleve, which is scorch with the
// text alone; signed, which is the index type with the signature and without a policy; tagged, with the policy near:
// tag; and grouped, with group. So times-the-CPU has all that the library adds, signed-times-the-CPU the part that is
// not the policy's, and group-times-near-CPU is what group costs where near: tag costs 1.
//
// A side begins when the one before it was closed, which waits for bleve's merges and its
// persister, when its garbage is collected, and when the disk has its files. The order changes with
// each round. The figures are the medians, over the rounds, of how many times the CPU and the wall
// time of plain bleve in the same round, and, least-, of the least of each side.
//
//	go test -run '^$' -bench Writes -benchtime 9x -timeout 2h ./plugin
//
// Where copies meet, 16 batches that follow each other have the same texts, but for a word, and are written one after another.
func BenchmarkWrites(b *testing.B) {
	texts := differentTexts(b)
	for _, onDisk := range []bool{false, true} {
		for _, meet := range []bool{false, true} {
			for _, batch := range []int{1, 10, 500} {
				for _, writers := range []int{1, 2, 4} {
					batches := map[int]int{1: 256, 10: 64, 500: copies}[batch]
					if testing.Short() {
						batches = map[int]int{1: 16, 10: 4, 500: 2}[batch]
					}
					if !meet {
						batches = min(batches, len(texts)/batch)
					}
					w := writing{onDisk, meet, batch, writers, batches}
					b.Run(w.String(), func(b *testing.B) { benchmarkWrites(b, w, texts) })
				}
			}
		}
	}
}

// differentTexts are pieces of real texts, mailSize bytes each, of which no two are near-duplicates, in an order that
// is the same each time.
func differentTexts(b *testing.B) []string {
	var pieces []string
	for _, d := range neartest.Shipped(b) {
		for piece := range slices.Chunk([]byte(d.Text), mailSize) {
			if len(piece) == mailSize {
				pieces = append(pieces, strings.ToValidUTF8(string(piece), " "))
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
	signatures := make([]signature.Signature, len(pieces))
	for i, piece := range pieces {
		signatures[i] = signature.Of(signature.DefaultParams(), []byte(piece))
	}
	leaders, err := table.Leaders(context.Background(), signature.Rule{}, signatures, nil)
	if err != nil {
		b.Fatal(err)
	}
	var texts []string
	for i, leader := range leaders {
		if leader == i {
			texts = append(texts, pieces[i])
		}
	}
	return texts
}

// side is one of those that BenchmarkWrites compares.
type side int

const (
	plainSide side = iota
	signedSide
	taggedSide
	groupedSide
	sides
)

func benchmarkWrites(b *testing.B, w writing, texts []string) {
	dir := b.TempDir()
	var took [sides][2][]float64 // CPU, and wall time, by rounds
	round := 0
	for b.Loop() {
		for turn := range sides {
			s := (turn + side(round)) % sides
			path := ""
			if w.onDisk {
				path = filepath.Join(dir, fmt.Sprint(round, s))
			}
			runtime.GC()
			for i, t := range w.write(b, path, s, texts) {
				took[s][i] = append(took[s][i], float64(t))
			}
			if err := os.RemoveAll(path); err != nil {
				b.Fatal(err)
			}
		}
		round++
	}
	for s, name := range []string{signedSide: "signed-", taggedSide: "", groupedSide: "group-"} {
		for i, what := range []string{"times-the-CPU", "times-the-wall-time"} {
			if s == int(plainSide) {
				continue
			}
			var ratios []float64
			for n, t := range took[s][i] {
				ratios = append(ratios, t/took[plainSide][i][n])
			}
			b.ReportMetric(median(ratios), name+what)
			b.ReportMetric(slices.Min(took[s][i])/slices.Min(took[plainSide][i]), "least-"+name+what)
		}
	}
	var ratios []float64
	for n, t := range took[groupedSide][0] {
		ratios = append(ratios, t/took[taggedSide][0][n])
	}
	b.ReportMetric(median(ratios), "group-times-near-CPU")
	b.ReportMetric(slices.Min(took[plainSide][1])/1000/float64(w.batches), "plain-µs/batch")
}

// write writes all batches to an index of its own, and returns the CPU and the wall time.
func (w writing) write(b *testing.B, path string, s side, texts []string) [2]time.Duration {
	name := "scorch"
	if s != plainSide {
		name = "neardup"
	}
	x, err := bleve.NewUsing(path, benchMapping(s != plainSide, false), name, bleve.Config.DefaultKVStore, nil)
	if err != nil {
		b.Fatal(err)
	}
	if p := map[side]*admission.Policy{taggedSide: {Near: admission.Tag}, groupedSide: {Group: true}}[s]; p != nil {
		if err := plugin.SetPolicy(context.Background(), x, p); err != nil {
			b.Fatal(err)
		}
	}
	var batches []*bleve.Batch
	for n := range w.batches {
		batch := x.NewBatch()
		for k := range w.batch {
			at, more := n*w.batch+k, ""
			if w.meet {
				at, more = n/copies*w.batch+k, fmt.Sprint(" ", n%copies)
			}
			if err := batch.Index(fmt.Sprintf("%d-%d", n, k), map[string]any{"body": texts[at] + more}); err != nil {
				b.Fatal(err)
			}
		}
		batches = append(batches, batch)
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	spent, began := neartest.CPU(), time.Now()
	for range w.writers {
		wait.Go(func() {
			for n := next.Add(1); int(n) <= len(batches); n = next.Add(1) {
				if err := x.Batch(batches[n-1]); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wait.Wait()
	took := [2]time.Duration{0, time.Since(began)}
	if err := x.Close(); err != nil { // what bleve still does is part of the CPU
		b.Fatal(err)
	}
	took[0] = neartest.CPU() - spent
	return took
}
