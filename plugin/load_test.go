package plugin_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

var (
	loadTime     = flag.Duration("load.time", time.Second/2, "how long TestLoad runs")
	loadFamilies = flag.Int("load.families", 60, "families of near-duplicates in TestLoad")
)

// Writers, readers and deletes at the same time, for hours if need be. Each kind of
// operation is begun at set times. Every answer is compared with a model (loadmodel_test.go), and memory,
// goroutines and files are looked at all the time. The long run is
//
//	go test -v -run Load ./plugin -load.time=30m -load.families=2000 -timeout 1h
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
	kinds := []*kind{
		{name: "write a batch", every: 500 * time.Millisecond, do: func(rnd *rand.Rand) error { return l.write(rnd, 0) }},
		{name: "write a batch", every: 500 * time.Millisecond, do: func(rnd *rand.Rand) error { return l.write(rnd, 1) }},
		{name: "similar by text", every: 50 * time.Millisecond, do: l.similar},
		{name: "similar by id", every: 100 * time.Millisecond, do: l.similarID},
		{name: "page of 10", every: 50 * time.Millisecond, do: l.page},
		{name: "whole set", every: 100 * time.Millisecond, do: l.whole},
		{name: "stored document", every: 100 * time.Millisecond, do: l.get},
		{name: "all groups", every: 10 * time.Second, do: l.groups},
	}
	var wait sync.WaitGroup
	stop := time.Now().Add(*loadTime)
	for i, k := range kinds {
		wait.Go(func() { k.run(stop, rand.New(rand.NewPCG(11, uint64(i)))) })
	}
	samples := watch(dir, stop, max(*loadTime/30, 200*time.Millisecond))
	wait.Wait()
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	report(t, kinds, samples)
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

// kind is a kind of operation.
type kind struct {
	name  string
	every time.Duration
	do    func(*rand.Rand) error

	done, wrong int
	first       error
}

// run does it at its times, until stop.
func (k *kind) run(stop time.Time, rnd *rand.Rand) {
	for at := time.Now(); at.Before(stop); at = at.Add(k.every) {
		time.Sleep(time.Until(at))
		if err := k.do(rnd); err != nil {
			if k.wrong++; k.first == nil {
				k.first = err
			}
		}
		k.done++
	}
}

// sample is what the process holds at a time.
type sample struct {
	heap, resident, disk, files, goroutines int
}

// watch takes samples until stop.
func watch(dir string, stop time.Time, every time.Duration) (all []sample) {
	for time.Now().Before(stop) {
		time.Sleep(every)
		var s sample
		var mem runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&mem)
		s.heap, s.goroutines = int(mem.HeapAlloc), runtime.NumGoroutine()
		if text, err := os.ReadFile("/proc/self/statm"); err == nil {
			var size int
			fmt.Sscan(string(text), &size, &s.resident)
			s.resident *= os.Getpagesize()
		}
		filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				if info, err := d.Info(); err == nil { // it may be gone
					s.files, s.disk = s.files+1, s.disk+int(info.Size())
				}
			}
			return nil
		})
		all = append(all, s)
	}
	return all
}

// report prints the tables, and fails if an answer was wrong, or if more is held in the
// last third of the time than in the one before.
func report(t *testing.T, kinds []*kind, samples []sample) {
	t.Helper()
	var b strings.Builder
	wrong := 0
	for _, k := range kinds {
		fmt.Fprintf(&b, "%-16s %7d, %d wrong\n", k.name, k.done, k.wrong)
		wrong += k.wrong
		if k.first != nil {
			t.Errorf("%s: %v", k.name, k.first)
		}
	}
	for _, what := range []struct {
		name  string
		of    func(sample) int
		slack int
	}{
		{"heap", func(s sample) int { return s.heap }, 16 << 20},
		{"resident memory", func(s sample) int { return s.resident }, 64 << 20},
		{"bytes on disk", func(s sample) int { return s.disk }, 64 << 20},
		{"files", func(s sample) int { return s.files }, 64},
		{"goroutines", func(s sample) int { return s.goroutines }, 8},
	} {
		third := len(samples) / 3
		if third == 0 {
			break
		}
		var mean [3]int
		for i := range mean {
			for _, s := range samples[i*third : (i+1)*third] {
				mean[i] += what.of(s) / third
			}
		}
		fmt.Fprintf(&b, "%-16s by thirds of the time: %v\n", what.name, mean)
		if len(samples) >= 30 && mean[2] > mean[1]+mean[1]/4+what.slack {
			t.Errorf("%s: %d in the last third of the time, %d in the one before", what.name, mean[2], mean[1])
		}
	}
	t.Logf("%v, %d wrong answers\n%s", *loadTime, wrong, &b)
}
