package diff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// edited returns n words, some of which come often, and a copy in which every so many
// words one is left out, or a new one comes before it.
func edited(r *rand.Rand, n, every int) (a, b []string) {
	for range n {
		w := fmt.Sprint("w", r.IntN(40))
		a = append(a, w)
		switch r.IntN(every) {
		case 0:
		case 1:
			b = append(b, "new", w)
		default:
			b = append(b, w)
		}
	}
	return a, b
}

// common is the length of the longest common subsequence, by the plain recurrence.
func common(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// TestWords rebuilds both texts from the hunks, and counts what is equal.
func TestWords(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 400 {
		around := r.IntN(6)
		a, b := edited(r, r.IntN(200), 2+r.IntN(30))
		i, j, equal := 0, 0, 0
		for n, h := range Words(a, b, around, 0) {
			skip := a[i : i+h.Skipped]
			if !slices.Equal(skip, b[j:j+h.Skipped]) {
				t.Fatalf("round %d: skipped words that differ", round)
			}
			i, j, equal = i+h.Skipped, j+h.Skipped, equal+h.Skipped
			if n > 0 && h.Skipped == 0 && around > 0 {
				t.Errorf("round %d: two hunks side by side", round)
			}
			for k, run := range h.Runs {
				first, last := k == 0, k == len(h.Runs)-1
				switch {
				case run.Len() <= 0:
					t.Fatalf("round %d: empty run", round)
				case run.Op == Insert && run.Begin == j:
					j = run.End
				case run.Op == Delete && run.Begin == i:
					i = run.End
				case run.Op == Equal && run.Begin == i && slices.Equal(a[i:run.End], b[j:j+run.Len()]):
					i, j, equal = run.End, j+run.Len(), equal+run.Len()
					if most := 2 * around; run.Len() > most || (first || last) && run.Len() > around {
						t.Errorf("round %d: %d equal words shown, around is %d", round, run.Len(), around)
					}
				default:
					t.Fatalf("round %d: %+v at %d and %d", round, run, i, j)
				}
			}
		}
		if !slices.Equal(a[i:], b[j:]) {
			t.Fatalf("round %d: %q and %q are left", round, a[i:], b[j:])
		}
		if equal += len(a) - i; equal != common(a, b) {
			t.Errorf("round %d: %d equal words, want %d", round, equal, common(a, b))
		}
	}
}

// TestMany has more words than there are runes below the surrogates.
func TestMany(t *testing.T) {
	t.Parallel()
	var a []string
	for i := range 70_000 {
		a = append(a, fmt.Sprint(i))
	}
	b := slices.Clone(a)
	b[0xD800] = "other"
	hunks := Words(a, b, 1, 0)
	if len(hunks) != 1 || hunks[0].Skipped != 0xD800-1 || len(hunks[0].Runs) != 4 {
		t.Errorf("got %+v", hunks)
	}
}
