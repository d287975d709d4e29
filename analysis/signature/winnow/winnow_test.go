package winnow_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
)

// naive is robust winnowing as the paper has it, in plain loops: the places that are selected.
func naive(prints []uint64, window int) (places []int) {
	last := -1
	for begin := 0; begin+window <= len(prints); begin++ {
		least := begin
		for i := begin; i < begin+window; i++ {
			if prints[i] <= prints[least] {
				least = i // the last of the least
			}
		}
		if last >= begin && prints[last] == prints[least] {
			continue // the one of the window before
		}
		last = least
		places = append(places, last)
	}
	return places
}

func at(prints []uint64, places []int) (all []uint64) {
	for _, i := range places {
		all = append(all, prints[i])
	}
	return all
}

// selected gives s the fingerprints in parts.
func selected(s *winnow.Selector, rnd *rand.Rand, prints []uint64) (all []uint64) {
	s.Reset()
	for len(prints) > 0 {
		n := 1 + rnd.IntN(len(prints))
		if rnd.IntN(2) == 0 {
			n = min(n, 1+rnd.IntN(20))
		}
		all = s.Append(all, prints[:n])
		prints = prints[n:]
	}
	return all
}

// texts are fingerprints of all kinds: random, of few values, all equal, ascending, descending, periodic.
func texts(rnd *rand.Rand, n int) map[string][]uint64 {
	make := func(f func(i int) uint64) []uint64 {
		all := make([]uint64, n)
		for i := range all {
			all[i] = f(i)
		}
		return all
	}
	period := 1 + rnd.IntN(30)
	return map[string][]uint64{
		"random":     make(func(int) uint64 { return rnd.Uint64() }),
		"few":        make(func(int) uint64 { return rnd.Uint64N(4) }),
		"equal":      make(func(int) uint64 { return 7 }),
		"ascending":  make(func(i int) uint64 { return uint64(i) }),
		"descending": make(func(i int) uint64 { return uint64(n - i) }),
		"stairs":     make(func(i int) uint64 { return uint64(i/5) + rnd.Uint64N(2) }),
		"saw":        make(func(i int) uint64 { return uint64(i % 17) }),
		"periodic":   make(func(i int) uint64 { return uint64(i%period) * 0x9e3779b97f4a7c15 }),
	}
}

// The Selector selects what plain loops do, however the text is cut into parts, and after other texts.
func TestNaive(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		window := 1 + rnd.IntN(60)
		s := winnow.New(window)
		for name, prints := range texts(rnd, rnd.IntN(3000)) {
			want := at(prints, naive(prints, window))
			if got := selected(s, rnd, prints); !slices.Equal(got, want) {
				t.Fatalf("%s, window %d, %d fingerprints: got %d selected, want %d", name, window, len(prints), len(got), len(want))
			}
		}
	}
}

// What the paper promises, of two texts that have as much as a window in common: both select a
// fingerprint there, and it is the same.
func TestGuarantee(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		window := 1 + rnd.IntN(50)
		s := winnow.New(window)
		for name, common := range texts(rnd, window) {
			around := func() []uint64 {
				before, after := texts(rnd, rnd.IntN(200))[name], texts(rnd, rnd.IntN(200))[name]
				return slices.Concat(before, common, after)
			}
			a, b := s.Append(nil, around()), []uint64(nil)
			s.Reset()
			b = s.Append(b, around())
			s.Reset()
			least := slices.Min(common)
			if !slices.Contains(a, least) || !slices.Contains(b, least) {
				t.Fatalf("%s, window %d: %#x is in all windows of both texts, and not selected in both", name, window, least)
			}
		}
	}
	s := winnow.New(5)
	if got := s.Append(nil, []uint64{4, 3, 2, 1}); got != nil {
		t.Errorf("a text shorter than a window: got %v selected", got)
	}
}

// Of random fingerprints 2 in window+1 are selected, and of equal ones 1 in window.
func TestDensity(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	const n = 400_000
	for _, window := range []int{1, 2, 10, 47, 197} {
		all := texts(rnd, n)
		got, want := float64(len(winnow.New(window).Append(nil, all["random"])))/n, 2/float64(window+1)
		if got < .97*want || got > 1.03*want {
			t.Errorf("window %d: got a density of %.4f, want %.4f", window, got, want)
		}
		if got, want := len(winnow.New(window).Append(nil, all["equal"])), n/window; got != want {
			t.Errorf("window %d, all equal: got %d selected, want %d", window, got, want)
		}
	}
}

// Whatever the fingerprints, a text takes about the same time: this would take hours if a Selector
// looked at a window for each fingerprint.
func TestLinear(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 8))
	s := winnow.New(winnow.MostWords)
	var dst []uint64
	for _, prints := range texts(rnd, 400_000) {
		s.Reset()
		for part := range slices.Chunk(prints, 512) {
			dst = s.Append(dst[:0], part)
		}
	}
}

func TestAllocates(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	all := texts(rnd, 20_000)
	s := winnow.New(47)
	dst := make([]uint64, 0, 20_000)
	if n := testing.AllocsPerRun(10, func() {
		for _, prints := range all {
			s.Reset()
			for part := range slices.Chunk(prints, 512) {
				dst = s.Append(dst[:0], part)
			}
		}
	}); n > 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}

func TestPanics(t *testing.T) {
	t.Parallel()
	defer func() {
		if got := recover(); got != "winnow: window: wanted 1 or more, got 0" {
			t.Errorf("got %v", got)
		}
	}()
	winnow.New(0)
}

func FuzzSelector(f *testing.F) {
	f.Add([]byte("to be or not to be, that is the question"), byte(4), byte(3))
	f.Add([]byte("aaaaaaaaaaaaaaaaaaaaaaaabaaaaaaaaaaaaa"), byte(7), byte(1))
	f.Add([]byte("abcdefghijklmnopqrstuvwxyz"), byte(5), byte(100))
	f.Fuzz(func(t *testing.T, data []byte, window, part byte) {
		prints := make([]uint64, len(data))
		for i, b := range data {
			prints[i] = uint64(b)
		}
		w := 1 + int(window)%70
		s := winnow.New(w)
		var got []uint64
		for p := range slices.Chunk(prints, 1+int(part)) {
			got = s.Append(got, p)
		}
		if want := at(prints, naive(prints, w)); !slices.Equal(got, want) {
			t.Fatalf("window %d: got %v, want %v", w, got, want)
		}
	})
}

func BenchmarkSelector(b *testing.B) {
	rnd := rand.New(rand.NewPCG(11, 12))
	for _, name := range []string{"random", "equal", "ascending", "descending"} {
		prints := texts(rnd, 512)[name]
		b.Run(name, func(b *testing.B) {
			s := winnow.New(47)
			var dst []uint64
			b.SetBytes(512)
			for b.Loop() {
				dst = s.Append(dst[:0], prints)
			}
		})
	}
}
