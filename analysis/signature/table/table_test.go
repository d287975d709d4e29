package table_test

import (
	"math/rand/v2"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// A table that was emptied is like a new one.
func TestReset(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(13, 14))
	tab := table.New(signature.Rule{})
	for _, n := range []int{300, 5, 0, 40} {
		var all []*signature.Signature
		for i := range n {
			s := random(rnd, 100)
			if got := tab.First(s); got >= 0 {
				t.Fatalf("of %d: near %d before it is added", i, got)
			}
			all = append(all, s)
			tab.Add(s)
		}
		for i, s := range all {
			if got := tab.First(s); got != i {
				t.Fatalf("First of %d = %d", i, got)
			}
		}
		if tab.Reset(); tab.Len() != 0 || n > 0 && tab.First(all[0]) >= 0 {
			t.Fatal("something is left")
		}
	}
}

// Room can be made at any time, whatever the table has already. Signatures without any key,
// such as those of empty texts, can be added in any number.
func TestWithoutKeys(t *testing.T) {
	t.Parallel()
	all := table.New(signature.Rule{})
	const empty = 50 // more than are compared one by one
	some := signature.Of(signature.DefaultParams(), []byte("a text with words enough for keys of all kinds, bands and blocks, in it"))
	for range empty {
		all.Add(new(signature.Signature))
		if at := all.First(&some); at >= 0 {
			t.Fatalf("got %d, want none", at)
		}
	}
	all.Add(&some)
	if at := all.First(&some); at != empty {
		t.Errorf("got %d, want %d", at, empty)
	}
}

func TestReserve(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(11, 12))
	tab := table.New(signature.Rule{})
	var all []*signature.Signature
	for i := range 2000 {
		if i%97 == 0 {
			tab.Reserve(rnd.IntN(4000))
		}
		s := random(rnd, 100)
		all = append(all, s)
		tab.Add(s)
	}
	for i, s := range all {
		if got := tab.First(s); got != i {
			t.Fatalf("First of %d = %d", i, got)
		}
	}
}
