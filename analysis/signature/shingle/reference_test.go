package shingle_test

import (
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
