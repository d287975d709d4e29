package shingle_test

import (
	"math"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// prints returns the set of fingerprints of a text whose tokens are its words.
func prints(text string, w int) *shingle.Set {
	key := token.NewKey(0)
	var hashes []uint64
	for _, word := range strings.Fields(text) {
		hashes = append(hashes, key.Hash([]byte(word)))
	}
	windows := shingle.NewWindows(w, 0)
	var set shingle.Set
	set.Add(windows.Append(nil, hashes))
	return &set
}

// resemblance computes |A∩B| / |A∪B| by adding B to A.
func resemblance(a, b *shingle.Set) float64 {
	n, m := a.Len(), b.Len()
	union := n + len(a.Add(b.Members()))
	return float64(n+m-union) / float64(union)
}

const (
	rose   = "a rose is a rose is a rose"
	flower = "a rose is a flower which is a rose"
	jack1  = "Jack London traveled to Oakland"
	jack2  = "Jack London traveled to the city of Oakland"
	jack3  = "Jack traveled from Oakland to London"
)

// The examples of the literature: the roses are from Broder and CS124, Jack London is from
// Manning, Raghavan, Schütze, "Introduction to Information Retrieval", chapter 19.
func TestResemblance(t *testing.T) {
	t.Parallel()
	const notSaid = -1
	for _, tt := range []struct {
		a, b     string
		w        int
		set, bag float64
	}{
		{rose, flower, 1, 3. / 5, 7. / 10},
		{rose, flower, 2, 3. / 6, 5. / 10},
		{rose, flower, 3, 3. / 7, 3. / 10},
		{jack1, jack2, 2, 3. / 8, notSaid},
		{jack1, jack3, 2, 0, notSaid},
		{"a rose is red a rose is white", "a rose is white a rose is red", 4, 2. / 8, notSaid},
		{rose, rose, 4, 1, 1},
	} {
		a, b := strings.Fields(tt.a), strings.Fields(tt.b)
		if got := neartest.Resemblance(neartest.Shingles(a, tt.w), neartest.Shingles(b, tt.w)); got != tt.set {
			t.Errorf("%q, %q, w %d: naively %v, want %v", tt.a, tt.b, tt.w, got, tt.set)
		}
		if got := resemblance(prints(tt.a, tt.w), prints(tt.b, tt.w)); got != tt.set {
			t.Errorf("%q, %q, w %d: got %v, want %v", tt.a, tt.b, tt.w, got, tt.set)
		}
		if got := neartest.Resemblance(neartest.Bag(a, tt.w), neartest.Bag(b, tt.w)); tt.bag != notSaid && got != tt.bag {
			t.Errorf("%q, %q, w %d: bag: got %v, want %v", tt.a, tt.b, tt.w, got, tt.bag)
		}
	}
}

// Shingles of "a rose is a rose is a rose": 3 distinct shingles of 3 words and of 4 words,
// or 5 of 4 words with multiplicity.
func TestCounts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ w, set, bag int }{{3, 3, 6}, {4, 3, 5}, {8, 1, 1}, {9, 0, 0}} {
		words := strings.Fields(rose)
		naive, bag, got := len(neartest.Shingles(words, tt.w)), len(neartest.Bag(words, tt.w)), prints(rose, tt.w).Len()
		if got != tt.set || naive != tt.set || bag != tt.bag {
			t.Errorf("w %d: got %d, naively %d, bag %d; want %d, %d", tt.w, got, naive, bag, tt.set, tt.bag)
		}
	}
}

// Resemblance is not transitive, but 1-r is a metric: the triangle inequality
// holds for the three texts about Jack London.
func TestDistanceIsMetric(t *testing.T) {
	t.Parallel()
	distance := func(a, b string) float64 {
		return 1 - neartest.Resemblance(neartest.Shingles(strings.Fields(a), 1), neartest.Shingles(strings.Fields(b), 1))
	}
	texts := []string{jack1, jack2, jack3}
	for i := range texts {
		a, b, c := texts[i], texts[(i+1)%3], texts[(i+2)%3]
		if distance(a, c) > distance(a, b)+distance(b, c)+math.SmallestNonzeroFloat64 {
			t.Errorf("%q to %q is farther than by way of %q", a, c, b)
		}
	}
}
