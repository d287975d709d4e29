package plugin_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature/signaturetest"
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

// BenchmarkWrites is what near: tag adds to writing, in batches of some sizes, by some writers at
// the same time. Each round writes the same documents to plain bleve and with the policy, one after
// the other. The figures are those of the quickest round of each: how many times the CPU and the
// wall time of plain bleve.
//
//	go test -run '^$' -bench Writes -benchtime 7x -timeout 1h ./plugin
//
// Where copies meet, 16 batches that follow each other have the same texts, but for a word.
func BenchmarkWrites(b *testing.B) {
	docs := signaturetest.Shipped(b)
	for i, d := range docs {
		docs[i].Text = d.Text[:min(len(d.Text), mailSize)]
	}
	for _, onDisk := range []bool{false, true} {
		for _, meet := range []bool{false, true} {
			for _, batch := range []int{1, 10, 500} {
				for _, writers := range []int{1, 2, 4} {
					w := writing{onDisk, meet, batch, writers, map[int]int{1: 128, 10: 32, 500: 4}[batch]}
					b.Run(w.String(), func(b *testing.B) { benchmarkWrites(b, w, docs) })
				}
			}
		}
	}
}

func benchmarkWrites(b *testing.B, w writing, docs []signaturetest.Doc) {
	dir := b.TempDir()
	var least [2][2]time.Duration // plain, and tagged: CPU, and wall time
	round := 0
	for b.Loop() {
		for turn := range 2 {
			side := (turn + round) % 2
			path := ""
			if w.onDisk {
				path = filepath.Join(dir, fmt.Sprint(round, side))
			}
			for i, took := range w.write(b, path, side == 1, docs) {
				if least[side][i] == 0 || took < least[side][i] {
					least[side][i] = took
				}
			}
		}
		round++
	}
	b.ReportMetric(float64(least[1][0])/float64(least[0][0]), "times-the-CPU")
	b.ReportMetric(float64(least[1][1])/float64(least[0][1]), "times-the-wall-time")
	b.ReportMetric(float64(least[0][1].Microseconds())/float64(w.batches), "plain-µs/batch")
}

// write writes all batches to an index of its own, and returns the CPU and the wall time.
func (w writing) write(b *testing.B, path string, tagged bool, docs []signaturetest.Doc) [2]time.Duration {
	name := "scorch"
	if tagged {
		name = "neardup"
	}
	x, err := bleve.NewUsing(path, benchMapping(tagged, false), name, bleve.Config.DefaultKVStore, nil)
	if err != nil {
		b.Fatal(err)
	}
	if tagged {
		if err := plugin.SetPolicy(context.Background(), x, &admission.Policy{Near: admission.Tag}); err != nil {
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
			if err := batch.Index(fmt.Sprintf("%d-%d", n, k), map[string]any{"body": docs[at%len(docs)].Text + more}); err != nil {
				b.Fatal(err)
			}
		}
		batches = append(batches, batch)
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	spent, began := cpu(b), time.Now()
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
	took[0] = cpu(b) - spent
	return took
}
