package neartest_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// The oracles for the packages under signature are themselves compared with results found
// by hand.

func TestShinglesAndBag(t *testing.T) {
	rose := strings.Fields("a rose is a rose is a rose")
	set := slices.Sorted(maps.Keys(neartest.Shingles(rose, 4)))
	if want := []string{"a rose is a", "is a rose is", "rose is a rose"}; !slices.Equal(set, want) {
		t.Errorf("got %q, want %q", set, want)
	}
	bag := slices.Sorted(maps.Keys(neartest.Bag(rose, 4)))
	if want := []string{"a rose is a #1", "a rose is a #2", "is a rose is #1", "rose is a rose #1", "rose is a rose #2"}; !slices.Equal(bag, want) {
		t.Errorf("got %q, want %q", bag, want)
	}
	if n := len(neartest.Shingles(rose, 9)); n != 0 {
		t.Errorf("a text shorter than a shingle has %d", n)
	}
}

func TestResemblanceAndContainment(t *testing.T) {
	set := func(words string) map[string]struct{} { return neartest.Shingles(strings.Fields(words), 1) }
	for _, tt := range []struct {
		a, b string
		r, c float64
	}{
		{"", "", 0, 0},
		{"a", "", 0, 0},
		{"a b", "b a", 1, 1},
		{"a b", "b c d", .25, .5},
		{"a b", "a b c d", .5, 1},
	} {
		r, c := neartest.Resemblance(set(tt.a), set(tt.b)), neartest.Containment(set(tt.a), set(tt.b))
		if r != tt.r || c != tt.c {
			t.Errorf("%q, %q: got %v and %v, want %v and %v", tt.a, tt.b, r, c, tt.r, tt.c)
		}
	}
}

func TestSimhash(t *testing.T) {
	for _, tt := range []struct {
		features []uint64
		want     uint64
	}{
		{nil, 0},
		{[]uint64{0xf0}, 0xf0},
		{[]uint64{0b1100, 0b1010}, 0b1000},
		{[]uint64{0b1100, 0b1010, 0b0110}, 0b1110},
	} {
		if got := neartest.Simhash(tt.features); got != tt.want {
			t.Errorf("%b: got %b, want %b", tt.features, got, tt.want)
		}
	}
}

func TestDuplicates(t *testing.T) {
	of := func(exact, simhash uint64, lanes ...uint8) *signature.Signature {
		s := &signature.Signature{Exact: exact, Simhash: 1<<63 | simhash, Tokens: 20, Shingles: 17, Lanes: 16, Sketch: make(sketch.Sketch, 2)}
		for i, lane := range lanes {
			s.Sketch.Set(i, lane)
		}
		return s
	}
	base := of(1, 0)
	none := of(2, 0, 1)
	none.Simhash = 0 // 1 bit off, but without features
	for _, tt := range []struct {
		name                       string
		other                      *signature.Signature
		either, both, lanes, close bool
	}{
		{"exact", of(1, 0xff, 1, 2, 3), true, true, true, true},
		{"1 lane of 16, 3 bits", of(2, 7, 1), true, true, true, true},
		{"1 lane, 4 bits", of(2, 15, 1), true, false, true, false},
		{"2 lanes, 3 bits", of(2, 7, 1, 1), true, false, false, true},
		{"1 lane, no features", none, true, false, true, false},
		{"2 lanes, 4 bits", of(2, 15, 1, 1), false, false, false, false},
	} {
		for mode, want := range map[signature.Mode]bool{
			signature.Either: tt.either, signature.Both: tt.both,
			signature.SketchOnly: tt.lanes, signature.SimhashOnly: tt.close,
		} {
			rule := signature.Rule{}
			rule.Mode = mode
			if got := neartest.Duplicates(rule, base, tt.other); got != want {
				t.Errorf("%s, %s: got %v, want %v", tt.name, mode, got, want)
			}
		}
	}
}

// Docs must skip, not fail, if the data sets are missing.
func TestAbsentDataSkips(t *testing.T) {
	t.Setenv("NEARDUP_DATA", t.TempDir())
	t.Run("absent", func(t *testing.T) {
		defer func() {
			if !t.Skipped() {
				t.Error("did not skip")
			}
		}()
		neartest.Docs(t, "no/such.jsonl.gz")
	})
}
