package docs

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// says reports an error unless a page has a row of a table.
func says(t *testing.T, text, row string) {
	t.Helper()
	t.Log(row)
	if !strings.Contains(text, row) {
		t.Errorf("the page does not say:\n%s", row)
	}
}

// What is kept of a document, counted, and times a billion.
func TestScaleBytes(t *testing.T) {
	t.Parallel()
	text := page(t, "scale.md")
	const n = 1e9
	a, _ := words(rand.New(rand.NewPCG(1, 2)), 450, 0)
	s := signature.Of(signature.DefaultParams(), []byte(a))
	binary, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	asText, err := s.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	keys := len(table.Plan{}.Keys(signature.Rule{}, s.Lanes).Append(nil, &s))
	many := len(table.Plan{Tables: 10}.Keys(signature.Rule{}, s.Lanes).Append(nil, &s))
	record := 8 * (4 + len(s.Sketch)) // of package ondisk
	for _, f := range []struct {
		what  string
		bytes int
	}{
		{"signature, stored", len(binary)},
		{"the same as base64, the stored field", len(asText)},
		{"in memory, to fold results", 224},
		{"in memory, for lookups: tables besides", 224 + 87}, // of a million: BenchmarkFrozen of package table
		{"batch: the file of signatures", record},
		{fmt.Sprintf("batch: rows of %d keys", keys), 12 * keys},
		{fmt.Sprintf("Beam: rows of %d keys, 30 bytes each", many-1), 30 * (many - 1)},
	} {
		says(t, text, fmt.Sprintf("| %s | %d | %.0f GB |", f.what, f.bytes, float64(f.bytes)*n/1e9))
	}
	for _, p := range []struct {
		tables string
		bits   int
	}{{"4", 16}, {"10", 25}, {"16", 28}, {"20", 31}} {
		mates := func(n float64) string { return fmt.Sprintf("%.2g", n/math.Exp2(float64(p.bits))) }
		says(t, text, fmt.Sprintf("| %s | %d | %s | %s | %s |", p.tables, p.bits, round(mates(1e6)), round(mates(62.5e6)), round(mates(1e9))))
	}
}

// Broder's 30 million documents of 5 KB, and a billion, on one machine.
func TestScaleBatch(t *testing.T) {
	t.Parallel()
	text := page(t, "scale.md")
	const broder, billion = 30e6, 1e9
	for _, row := range []struct {
		what     string
		bytes    float64
		besides  float64
		ofBroder string
	}{
		{"memory, at least", 4.25, 16 << 20, "%.2f GB"},
		{"signatures on disk", 232, 0, "%.1f GB"},
		{"rows on disk", 192, 0, "%.1f GB"},
	} {
		small := fmt.Sprintf(row.ofBroder, (broder*row.bytes+row.besides)/1e9)
		says(t, text, fmt.Sprintf("| %s | %s | %.3g GB |", row.what, small, (billion*row.bytes+row.besides)/1e9))
	}
	const rate = 415e6 // bytes a second, the README's
	says(t, text, fmt.Sprintf("| to sign 5 KB each, at 415 MB/s a core | %.0f s | %.1f h |", broder*5000/rate, billion*5000/rate/3600))
	const each = 6.5e-6 // seconds, as the page measures it
	says(t, text, fmt.Sprintf("| to group, at 6.5 µs of processor each (below) | %.1f min | %.1f h |", broder*each/60, billion*each/3600))
}

// round writes a number of two digits without an exponent.
func round(text string) string {
	var x float64
	fmt.Sscan(text, &x)
	return strings.TrimPrefix(fmt.Sprint(x), "0")
}

// families are the sizes of the largest families of n documents, the largest first, and
// how many documents the others have. Sizes X have P(X >= x) = x^-alpha, so the
// i-th largest of N is (N/G)^(1/alpha), where G is a sum of i exponential variables.
func families(rnd *rand.Rand, n, alpha float64, largest int) (sizes []float64, rest float64) {
	count := n * (alpha - 1) / alpha // alpha/(alpha-1) is the mean
	rest = n
	for g := 0.0; len(sizes) < largest; {
		g += rnd.ExpFloat64()
		size := min(math.Pow(count/g, 1/alpha), n/20)
		sizes = append(sizes, size)
		rest -= size
	}
	return sizes, max(rest, 0)
}

// imbalance returns the load of the fullest of so many workers as a multiple of the mean:
// where documents are spread by themselves, and where their rows are spread by key, 11
// of which a family has in common.
func imbalance(rnd *rand.Rand, n float64, sizes []float64, rest float64, workers int) (byDocument, byKey float64) {
	const keys = 11
	load, mean := make([]float64, workers), n/float64(workers)
	for range workers { // binomial, nearly normal
		byDocument = max(byDocument, 1+rnd.NormFloat64()/math.Sqrt(mean))
	}
	for i := range load {
		load[i] = keys * rest / float64(workers)
	}
	for _, size := range sizes {
		for range keys {
			load[rnd.IntN(workers)] += size
		}
	}
	return byDocument, slices.Max(load) / (keys * mean)
}

// Hot keys and uneven shards among a billion documents: medians of 25 simulations.
func TestScaleHotKeys(t *testing.T) {
	t.Parallel()
	text := page(t, "scale.md")
	const n, runs = 1e9, 25
	for _, alpha := range []float64{2, 1.5, 1.2} {
		var largest, doc []float64
		byKey := map[int][]float64{}
		for seed := range uint64(runs) {
			rnd := rand.New(rand.NewPCG(seed, 9))
			sizes, rest := families(rnd, n, alpha, 20_000)
			largest = append(largest, sizes[0])
			for _, workers := range []int{16, 256, 4096} {
				d, k := imbalance(rnd, n, sizes, rest, workers)
				if workers == 4096 {
					doc = append(doc, d)
				}
				byKey[workers] = append(byKey[workers], k)
			}
		}
		size := median(largest)
		says(t, text, fmt.Sprintf("| %g | %.2g | %.2g | %.3f | %.2f, %.2f, %.2f |",
			alpha, size/1e6, size*600/1e9, median(doc), median(byKey[16]), median(byKey[256]), median(byKey[4096])))
	}
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}
