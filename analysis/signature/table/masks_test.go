package table

import (
	"math/bits"
	"testing"
)

// At least one table has none of the bits that differ, wherever up to three are, and each
// table has documents by the stated number of bits.
func TestMasks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tables, least, most int }{{4, 16, 16}, {10, 25, 26}, {16, 28, 28}, {20, 31, 33}} {
		masks := Plan{Tables: c.tables}.masks(1)
		if len(masks) != c.tables {
			t.Errorf("got %d tables, want %d", len(masks), c.tables)
		}
		for _, m := range masks {
			if n := bits.OnesCount64(m); n < c.least || n > c.most {
				t.Errorf("%d tables: got %d bits, want %d to %d", c.tables, n, c.least, c.most)
			}
		}
		misses := func(differ uint64) bool {
			for _, m := range masks {
				if differ&m == 0 {
					return false
				}
			}
			return true
		}
		for i := range 64 {
			for j := range i + 1 {
				for k := range j + 1 {
					if misses(1<<i | 1<<j | 1<<k) {
						t.Fatalf("%d tables: bits %d, %d and %d are in each", c.tables, i, j, k)
					}
				}
			}
		}
	}
}
