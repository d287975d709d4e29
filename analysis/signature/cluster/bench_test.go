package cluster_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/cluster"
)

// BenchmarkRun clusters signatures, a quarter of them in families of 2 to 61 and a
// hundredth near-copies of one text, in as little memory as goes and in 1 GiB. Resident
// is the most that the process had, so that each size is best run by itself.
func BenchmarkRun(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		for _, memory := range []int64{int64(n)*17/4 + 16<<20, 1 << 30} {
			b.Run(fmt.Sprintf("n=%d/memory=%dMiB", n, memory>>20), func(b *testing.B) {
				if n > 100_000 && os.Getenv("NEARDUP_LARGE") == "" {
					b.Skip("set NEARDUP_LARGE: takes minutes")
				}
				for b.Loop() {
					benchmarkRun(b, n, memory)
				}
			})
		}
	}
}

func benchmarkRun(b *testing.B, n int, memory int64) {
	b.StopTimer()
	dir := b.TempDir()
	j, err := cluster.Open(dir, cluster.Options{Memory: memory})
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
	b.StartTimer()
	r, err := j.Run(context.Background())
	b.StopTimer()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(r.Groups), "groups")
	b.ReportMetric(float64(r.Dropped), "dropped")
	b.ReportMetric(resident(), "resident-MB")
	info, err := os.Stat(filepath.Join(dir, "signatures"))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/1e6, "signatures-MB")
	b.StartTimer()
}

// resident is the most memory that the process had, in megabytes; 0 where that is not
// told.
func resident() (mb float64) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	fmt.Sscan(after, &mb)
	return mb / 1000
}
