package ondisk_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin/batch/ondisk"
)

var (
	size   = flag.Int("ondisk.size", 0, "documents of BenchmarkRun, instead of 10,000 and 100,000")
	memory = flag.Int64("ondisk.memory", 0, "bytes that it may use, instead of as few as go, and 1 GiB")
)

// BenchmarkRun groups signatures: a quarter in families of 2 to 61, and a hundredth
// near-copies of one text. "Resident" is the most memory that the process had: so each case is best run by itself.
func BenchmarkRun(b *testing.B) {
	sizes := []int{10_000, 100_000}
	if testing.Short() {
		sizes = sizes[:1]
	}
	if *size > 0 {
		sizes = []int{*size}
	}
	for _, n := range sizes {
		allowed := []int64{int64(n)*8 + 16<<20, 1 << 30} // half of the first is for the copies of one text, which share a key
		if *memory > 0 {
			allowed = []int64{*memory}
		}
		for _, m := range allowed {
			b.Run(fmt.Sprintf("n=%d/memory=%dMiB", n, m>>20), func(b *testing.B) {
				for b.Loop() {
					benchmarkRun(b, n, m)
				}
			})
		}
	}
}

func benchmarkRun(b *testing.B, n int, memory int64) {
	b.StopTimer()
	dir := b.TempDir()
	j, err := ondisk.Open(dir, ondisk.Options{Memory: memory})
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	rnd := rand.New(rand.NewPCG(13, 14))
	var base *signature.Signature
	template := random(rnd, 100)
	for i, left := 0, 0; i < n; i++ {
		s := random(rnd, 100)
		switch {
		case i%100 == 0:
			s = edited(rnd, template, rnd.IntN(9), rnd.IntN(6))
		case left > 0:
			left--
			s = edited(rnd, base, rnd.IntN(9), rnd.IntN(6))
		case rnd.IntN(90) == 0:
			base, left = s, 1+rnd.IntN(60)
		}
		if err := j.Add(fmt.Sprintf("document-%08d", i), s); err != nil {
			b.Fatal(err)
		}
	}
	if err := j.Commit(); err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(memory + 24<<20)) // as neardup dedupe does; else garbage comes on top
	before := neartest.CPU()
	b.StartTimer()
	r, err := j.Run(context.Background())
	b.StopTimer()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(r.Groups), "groups")
	b.ReportMetric(float64(r.Dropped), "dropped")
	b.ReportMetric(resident(), "resident-MB")
	b.ReportMetric((neartest.CPU() - before).Seconds(), "cpu-s")
	info, err := os.Stat(filepath.Join(dir, "signatures"))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/1e6, "signatures-MB")
	b.StartTimer()
}

// resident returns the most memory that the process had, in megabytes, or 0 if the system
// does not report it.
func resident() (mb float64) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Sscan(after, &mb)
	return mb / 1000
}
