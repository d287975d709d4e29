package template

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// naiveShingle is the formula of the package comment.
func naiveShingle(tokens []uint64) (sum uint64) {
	for i, h := range tokens {
		n := 11 * (len(tokens) - 1 - i) % 64
		sum ^= h<<n | h>>(64-n)
	}
	return sum
}

// naiveLeft says of each token whether the shingles given leave it out.
func naiveLeft(tokens []uint64, width int, frequent map[uint32]bool) []bool {
	left := make([]bool, len(tokens))
	in := func(i int) bool {
		return i+width <= len(tokens) && frequent[max(1, uint32(naiveShingle(tokens[i:i+width])>>32))]
	}
	for i := range tokens {
		if in(i) && in(i+1) && in(i+2) && in(i+3) && in(i+4) {
			for j := range width + 4 {
				left[i+j] = true
			}
		}
	}
	return left
}

// randomTokens are tokens of a few words, so that shingles come again.
func randomTokens(rnd *rand.Rand, n, words int) []uint64 {
	tokens := make([]uint64, n)
	for i := range tokens {
		w := rnd.IntN(words)
		tokens[i] = rand.New(rand.NewPCG(uint64(w), 1)).Uint64()
	}
	return tokens
}

// The set, its runs and the cutter, fed in pieces of any size, leave out what the definition
// does.
func TestCutter(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		width := MinWidth + rnd.IntN(MaxWidth-MinWidth+1)
		frequent := map[uint32]bool{}
		var prints []uint32
		source := randomTokens(rnd, 5+rnd.IntN(60), 1+rnd.IntN(8))
		for i := 0; i+width <= len(source); i++ {
			if rnd.IntN(6) > 0 {
				p := max(1, uint32(naiveShingle(source[i:i+width])>>32))
				frequent[p] = true
				prints = append(prints, p)
			}
		}
		set := newSet(width, 7, prints)
		c := NewCutter(set)
		for range 3 { // values
			tokens := append(append(randomTokens(rnd, rnd.IntN(20), 8), source[:rnd.IntN(len(source)+1)]...), randomTokens(rnd, rnd.IntN(20), 8)...)
			left := naiveLeft(tokens, width, frequent)
			inRuns := make([]bool, len(tokens))
			for _, r := range set.Runs(tokens) {
				for i := r.From; i < r.To; i++ {
					inRuns[i] = true
				}
			}
			if !slices.Equal(inRuns, left) {
				t.Fatalf("width %d: runs %v, want %v", width, inRuns, left)
			}
			var want, got []string
			gap, n := false, uint64(0)
			for i, h := range tokens {
				if left[i] {
					gap, n = true, n+1
					continue
				}
				want = append(want, fmt.Sprint(h, gap))
				gap = false
			}
			c.left = 0
			limit := 1 + rnd.IntN(30)
			for rest := tokens; ; {
				k := min(len(rest), rnd.IntN(40))
				end := k == len(rest) && rnd.IntN(2) == 0
				c.Cut(rest[:k], end, limit, func(kept []uint64, gap bool) {
					if len(kept) == 0 || len(kept) > limit {
						t.Fatalf("got %d tokens at a time, want 1 to %d", len(kept), limit)
					}
					for i, h := range kept {
						got = append(got, fmt.Sprint(h, gap && i == 0))
					}
				})
				if rest = rest[k:]; end {
					break
				}
			}
			if !slices.Equal(got, want) || c.Left() != n {
				t.Fatalf("width %d: got %v, %d left out, want %v, %d", width, got, c.Left(), want, n)
			}
		}
	}
}

func TestStored(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, 100, MaxShingles} {
		prints := make([]uint32, n)
		for i := range prints {
			prints[i] = 1 + rnd.Uint32N(1<<32-1)
		}
		set := newSet(8, 99, prints)
		data, err := set.MarshalBinary()
		if err != nil || len(data) > MaxSize || MaxSize > 32<<10 {
			t.Fatalf("%d bytes of at most %d, error %v", len(data), MaxSize, err)
		}
		var read Set
		if err := read.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		again, _ := read.MarshalBinary()
		if !bytes.Equal(again, data) || read.Len() != set.Len() || read.Width() != 8 || read.Params() != 99 {
			t.Errorf("%d shingles: read again, the set is another", n)
		}
		for _, p := range prints {
			if !read.has(p) {
				t.Errorf("%d shingles: %x is missing", n, p)
			}
		}
		for i := 0; i < len(data); i += 1 + len(data)/300 {
			bad := bytes.Clone(data)
			bad[i] ^= 1
			if read.UnmarshalBinary(bad) == nil {
				t.Fatalf("%d shingles: byte %d is another, and no error", n, i)
			}
			if read.UnmarshalBinary(data[:i]) == nil {
				t.Fatalf("%d shingles: cut off at %d, and no error", n, i)
			}
		}
	}
	err := new(Set).UnmarshalBinary([]byte("NDT\x02 and what a later version says"))
	if err == nil || err.Error() != "template: version: wanted 1, got 2" {
		t.Errorf("another version: got %v", err)
	}
}

func FuzzUnmarshal(f *testing.F) {
	data, _ := newSet(8, 1, []uint32{1, 2, 3}).MarshalBinary()
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		var s Set
		if s.UnmarshalBinary(data) != nil {
			return
		}
		if again, err := s.MarshalBinary(); err != nil || !bytes.Equal(again, data) {
			t.Errorf("%x became %x, error %v", data, again, err)
		}
	})
}

// A learner finds the shingles that plain counting finds, of documents that differ.
func TestLearner(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 60 {
		o := Options{Width: MinWidth + rnd.IntN(6), Share: []float64{.05, .1, .5}[rnd.IntN(3)], Documents: 2 + rnd.IntN(10)}
		l, err := NewLearner(3, o)
		if err != nil {
			t.Fatal(err)
		}
		counts, seen, copies := map[uint64]int{}, map[string]bool{}, 0
		var last [][]uint64
		for range 200 {
			values := [][]uint64{randomTokens(rnd, rnd.IntN(40), 12), randomTokens(rnd, rnd.IntN(10), 12)}
			if rnd.IntN(10) == 0 && last != nil {
				values = last
			}
			last = values
			l.Add(values...)
			if seen[fmt.Sprint(values)] {
				copies++
				continue
			}
			seen[fmt.Sprint(values)] = true
			own := map[uint64]bool{}
			for _, tokens := range values {
				for i := 0; i+o.Width <= len(tokens); i++ {
					own[naiveShingle(tokens[i:i+o.Width])] = true
				}
			}
			for s := range own {
				counts[s]++
			}
		}
		found := l.Learn()
		want := map[uint32]bool{}
		for s, n := range counts {
			if n >= o.Documents && float64(n) >= o.Share*float64(len(seen)) {
				want[uint32(s>>32)] = true
			}
		}
		if found.Set.Len() != len(want) || found.Shingles != len(want) || int(found.Documents) != len(seen) || int(found.Copies) != copies {
			t.Fatalf("%+v: got %+v with %d shingles, want %d of %d documents and %d copies", o, found, found.Set.Len(), len(want), len(seen), copies)
		}
		for p := range want {
			if !found.Set.has(p) {
				t.Fatalf("%+v: %x is missing", o, p)
			}
		}
		for _, tokens := range last {
			for i := 0; i+o.Width <= len(tokens); i++ {
				run := tokens[i : i+o.Width]
				if s := naiveShingle(run); want[uint32(s>>32)] && int(found.In(run)) != counts[s] {
					t.Fatalf("%+v: a shingle stands in %d documents, want %d", o, found.In(run), counts[s])
				}
			}
		}
	}
}

// With a table that is too small for all, nothing is missed that is as frequent as Least says.
func TestLearnerDrops(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 8))
	l, err := NewLearner(0, Options{Width: 3, Share: .05, Documents: 2})
	if err != nil {
		t.Fatal(err)
	}
	l.most = 1 << 12
	counts := map[uint64]int{}
	for range 2000 {
		tokens := randomTokens(rnd, 30, 1<<20)
		for i := range tokens {
			if rnd.IntN(3) > 0 {
				tokens[i] = uint64(rnd.IntN(6)+1) * 0x9e3779b97f4a7c15
			}
		}
		l.Add(tokens)
		own := map[uint64]bool{}
		for i := 0; i+3 <= len(tokens); i++ {
			own[naiveShingle(tokens[i:i+3])] = true
		}
		for s := range own {
			counts[s]++
		}
	}
	found := l.Learn()
	if l.bound == 0 || len(l.keys) > 1<<12 {
		t.Fatalf("wanted counts dropped, and a table that stays small, got bound %d, %d slots", l.bound, len(l.keys))
	}
	want := 0
	for s, n := range counts {
		has := found.Set.has(uint32(s >> 32))
		if uint64(n) >= found.Least {
			want++
			if !has {
				t.Errorf("a shingle of %d documents is missing, least %d", n, found.Least)
			}
		}
		if has && uint64(n)+uint64(l.bound) < found.Least {
			t.Errorf("a shingle of %d documents is there, least %d, bound %d", n, found.Least, l.bound)
		}
	}
	if want == 0 {
		t.Error("no shingle is frequent: the test shows nothing")
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		o    Options
		want string
	}{
		{Options{}, ""},
		{Options{Width: 1}, "template: width: wanted 2 to 16, got 1"},
		{Options{Width: 17}, "template: width: wanted 2 to 16, got 17"},
		{Options{Share: -1}, "template: share: wanted above 0 and up to 1, got -1"},
		{Options{Share: 1.5}, "template: share: wanted above 0 and up to 1, got 1.5"},
		{Options{Documents: 1}, "template: documents: wanted at least 2, got 1"},
	} {
		_, err := NewLearner(0, tt.o)
		if got := fmt.Sprint(err); got != tt.want && (tt.want != "" || err != nil) {
			t.Errorf("%+v: got %s, want %s", tt.o, got, tt.want)
		}
	}
}

// learnPages is 100,000 for the figures in examples/docs/templates.md.
var learnPages = flag.Int("learn.pages", 5000, "pages from which TestLearnMany learns")

// Learning takes time in proportion to the pages, and bounded memory.
func TestLearnMany(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	l, err := NewLearner(0, Options{})
	if err != nil {
		t.Fatal(err)
	}
	page := make([]uint64, 1000)
	for i := range page {
		page[i] = rnd.Uint64()
	}
	start := time.Now()
	var most uint64
	for n := range *learnPages {
		for i := range 400 {
			page[300+i] = rnd.Uint64()
		}
		l.Add(page)
		if n%1000 == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.Sys)
		}
	}
	found := l.Learn()
	t.Logf("%d pages of 1,000 tokens: %v, %d MB of the process; %d shingles", *learnPages, time.Since(start), most>>20, found.Set.Len())
	if want := 600 - 2*(DefaultWidth-1); found.Set.Len() != want {
		t.Errorf("got %d shingles, want the %d of the template", found.Set.Len(), want)
	}
}

func ExampleLearner() {
	hash := func(text string) (tokens []uint64) { // in place of signature.Params.Hashes
		for w := range strings.FieldsSeq(text) {
			h := uint64(14695981039346656037)
			for i := range len(w) {
				h = (h ^ uint64(w[i])) * 1099511628211
			}
			tokens = append(tokens, h*0x9e3779b97f4a7c15^h>>29)
		}
		return tokens
	}
	l, err := NewLearner(0, Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	footer := "you get this mail because you subscribed to the list of roses"
	for i := range 20 {
		l.Add(hash(fmt.Sprintf("mail number %d %s", i, footer)))
	}
	found := l.Learn()
	fmt.Println(found.Documents, "mails,", found.Set.Len(), "shingles; left out:", found.Set.Runs(hash("another mail "+footer)))
	// Output: 20 mails, 9 shingles; left out: [{2 14}]
}
