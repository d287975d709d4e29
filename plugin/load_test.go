package plugin_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

var (
	loadBatches  = flag.Int("load.batches", 6, "batches that each of the two writers of TestLoad writes")
	loadFamilies = flag.Int("load.families", 60, "families of near-duplicates in TestLoad")
)

// Writers, readers and deletes at the same time, for as long as need be. Readers ask for as long as the writers write.
// Every answer is compared with a model (loadmodel_test.go), and where there are thirds worth comparing, what the
// process holds must not grow. The long run is
//
//	go test -v -run Load ./plugin -load.batches=1500 -load.families=2000 -timeout 1h
func TestLoad(t *testing.T) {
	m := bleve.NewIndexMapping()
	bucket := bleve.NewTextFieldMapping()
	bucket.Analyzer = keyword.Name
	m.DefaultMapping.AddFieldMappingsAt("bucket", bucket)
	plugin.AddSignature(m.DefaultMapping, "body")
	dir := filepath.Join(t.TempDir(), "x")
	before := runtime.NumGoroutine()
	x, err := plugin.New(dir, m)
	if err != nil {
		t.Fatal(err)
	}
	l := newLoad(x, *loadFamilies)
	if err := l.fill(); err != nil {
		t.Fatal(err)
	}
	if err := plugin.SetPolicy(context.Background(), x, &admission.Policy{Near: admission.Tag}); err != nil {
		t.Fatal(err)
	}
	var answers, wrong atomic.Int64
	var held []sample
	for third := range 3 {
		run := func(name string, kind int, more func(n int) bool, do func(*rand.Rand) error) {
			rnd := rand.New(rand.NewPCG(uint64(11+third), uint64(kind)))
			for n := 0; more(n); n++ {
				if err := do(rnd); err != nil && wrong.Add(1) < 10 {
					t.Errorf("%s: %v", name, err)
				}
				answers.Add(1)
			}
		}
		var writers, readers sync.WaitGroup
		for parity := range 2 {
			writers.Go(func() {
				run("write a batch", parity, func(n int) bool { return n < *loadBatches/3 }, func(rnd *rand.Rand) error { return l.write(rnd, parity) })
			})
		}
		var done atomic.Bool
		for i, r := range []struct {
			name string
			ask  func(*rand.Rand) error
		}{
			{"similar by text", l.similar},
			{"similar by id", l.similarID},
			{"page of 10", l.page},
			{"whole set", l.whole},
			{"stored document", l.get},
			{"all groups", l.groups},
		} {
			readers.Go(func() { run(r.name, 2+i, func(n int) bool { return n == 0 || !done.Load() }, r.ask) })
		}
		writers.Wait()
		done.Store(true)
		readers.Wait()
		held = append(held, hold(dir))
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	t.Logf("%d answers, %d wrong; held after each third: %+v", answers.Load(), wrong.Load(), held)
	for what, slack := range map[string]int{"heap": 16 << 20, "disk": 64 << 20, "files": 64, "goroutines": 8} {
		if was, is := held[1][what], held[2][what]; *loadBatches >= 300 && is > was+was/4+slack {
			t.Errorf("%s: %d after the last third, %d after the one before", what, is, was)
		}
	}
	for range 3000 { // those of bleve's that are about to end
		if runtime.NumGoroutine() <= before {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines when the index was closed, %d before it was opened", n, before)
	}
}

// sample is what the process holds.
type sample map[string]int

func hold(dir string) sample {
	var mem runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&mem)
	s := sample{"heap": int(mem.HeapAlloc), "goroutines": runtime.NumGoroutine()}
	filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil { // it may be gone
				s["files"]++
				s["disk"] += int(info.Size())
			}
		}
		return nil
	})
	return s
}
