package winnow_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
)

// A Table finds what a look at every document does, and no more: also of values that differ in their highest or in
// their lowest bits alone, and that many documents have.
func TestTable(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(31, 32))
	for _, documents := range []int{0, 1, 5, 300, 3000} {
		kinds := []func() uint64{
			rnd.Uint64,
			func() uint64 { return rnd.Uint64N(50) },
			func() uint64 { return rnd.Uint64N(50) << 32 },
			func() uint64 { return most - rnd.Uint64N(3) },
		}
		all := make([]winnow.Prints, documents)
		asked := []uint64{0, 1, most, most - 1, 1 << 32, 1<<32 + 1, 1 << winnow.Bits, 1<<64 - 1}
		n := 0
		for i := range all {
			var selected []uint64
			for range rnd.IntN(20) {
				selected = append(selected, kinds[rnd.IntN(len(kinds))]())
			}
			all[i] = winnow.Of(1, selected)
			n += len(all[i].Values)
			if len(all[i].Values) > 0 && len(asked) < 400 {
				asked = append(asked, all[i].Values[rnd.IntN(len(all[i].Values))])
			}
		}
		table := winnow.NewTable(documents, func(doc int) []uint64 { return all[doc].Values })
		if table.Len() != n || table.Size() > 8*n+8*documents+2048 {
			t.Errorf("%d documents: got %d values in %d bytes, want %d", documents, table.Len(), table.Size(), n)
		}
		for _, value := range asked {
			var want, got []int
			for doc, p := range all {
				if slices.Contains(p.Values, value) {
					want = append(want, doc)
				}
			}
			whole := table.Documents(value, func(doc int) bool {
				got = append(got, doc)
				return true
			})
			if !whole || !slices.Equal(got, want) || table.Count(value) != len(want) {
				t.Fatalf("%d documents: %#x: got %v, want %v", documents, value, got, want)
			}
			if len(want) > 0 && table.Documents(value, func(int) bool { return false }) {
				t.Errorf("%#x: it goes on after a false", value)
			}
		}
	}
}

func ExampleTable() {
	documents := []winnow.Prints{winnow.Of(1, []uint64{10, 20}), winnow.Of(1, []uint64{30}), winnow.Of(1, []uint64{20, 30})}
	t := winnow.NewTable(len(documents), func(doc int) []uint64 { return documents[doc].Values })
	t.Documents(20, func(doc int) bool {
		fmt.Println("document", doc)
		return true
	})
	// Output:
	// document 0
	// document 2
}

// Lookups of the values of a document of 400 words, among so many documents.
func BenchmarkTable(b *testing.B) {
	for _, documents := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(documents), func(b *testing.B) {
			values := func(seed int) []uint64 {
				rnd := rand.New(rand.NewPCG(uint64(seed), 33))
				selected := make([]uint64, 17)
				for i := range selected {
					selected[i] = rnd.Uint64()
				}
				return winnow.Of(1, selected).Values
			}
			t := winnow.NewTable(documents, values)
			asked := make([][]uint64, 1000)
			for i := range asked {
				asked[i] = values(i * 7)
			}
			i, n := 0, 0
			for b.Loop() {
				for _, v := range asked[i%1000] {
					n += t.Count(v)
				}
				i++
			}
			b.ReportMetric(float64(t.Size())/float64(documents), "bytes/document")
		})
	}
}
