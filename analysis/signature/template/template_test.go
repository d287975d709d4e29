package template

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/internal/codec"
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
func naiveLeft(tokens []uint64, width int, frequent map[uint64]bool) []bool {
	left := make([]bool, len(tokens))
	in := func(i int) bool {
		return i+width <= len(tokens) && frequent[naiveShingle(tokens[i:i+width])>>32]
	}
	for i := range tokens {
		if in(i) && in(i+1) && in(i+2) && in(i+3) && in(i+4) {
			for j := range width + 4 {
				left[i+j] = true
			}
		}
	}
	for i := 1; i < len(left); i++ { // gaps
		if end := slices.Index(left[i:], true); left[i-1] && end > 0 && end < width+4 {
			left[i] = true
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
		frequent := map[uint64]bool{}
		var prints []uint64
		source := randomTokens(rnd, 5+rnd.IntN(60), 1+rnd.IntN(8))
		for i := 0; i+width <= len(source); i++ {
			if rnd.IntN(6) > 0 {
				p := naiveShingle(source[i:i+width]) >> 32
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
		prints := make([]uint64, n)
		for i := range prints {
			prints[i] = uint64(rnd.Uint32())
		}
		set := newSet(8, 99, prints)
		data, err := set.MarshalBinary()
		if err != nil || len(data) > 100+4*n {
			t.Fatalf("%d bytes for %d, error %v", len(data), n, err)
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
			if _, ok := read.prints[p]; !ok {
				t.Errorf("%d shingles: %x is missing", n, p)
			}
		}
		for i := 0; i < len(data); i += 1 + len(data)/40 {
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
	err := new(Set).UnmarshalBinary([]byte("\x03 and what a later version says"))
	if !errors.Is(err, codec.ErrVersion) || !strings.HasPrefix(err.Error(), "template: version: wanted 2, got 3") {
		t.Errorf("another version: got %v", err)
	}
}

func FuzzUnmarshal(f *testing.F) {
	data, _ := newSet(8, 1, []uint64{1, 2, 3}).MarshalBinary()
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

// documentsOf yields documents.
func documentsOf(all [][][]uint64) iter.Seq[[][]uint64] { return slices.Values(all) }

// naiveLearned are the shingles, by their first bits, that stand in enough documents whose rests differ.
func naiveLearned(o Options, documents [][][]uint64) (learned map[uint64]int, different int) {
	shingles := func(values [][]uint64) map[uint64]bool {
		own := map[uint64]bool{}
		for _, tokens := range values {
			for i := 0; i+o.Width <= len(tokens); i++ {
				own[naiveShingle(tokens[i:i+o.Width])>>32] = true
			}
		}
		return own
	}
	seen, counts := map[string]bool{}, map[uint64]int{}
	var once [][][]uint64
	for _, values := range documents {
		if name := fmt.Sprint(values); !seen[name] {
			seen[name], once = true, append(once, values)
			for s := range shingles(values) {
				counts[s]++
			}
		}
	}
	least := max(o.Documents, int(math.Ceil(o.Share*float64(len(seen)))))
	frequent, rests, in := map[uint64]bool{}, map[uint64]map[string]bool{}, map[uint64]int{}
	for s, n := range counts {
		frequent[s], rests[s] = n >= least, map[string]bool{}
	}
	for _, values := range once {
		rest, few, passages := "", 0, [][]uint64{}
		for _, tokens := range values {
			from, kept := 0, 0
			for i, left := range append(naiveLeft(tokens, o.Width, frequent), false) {
				if kept++; left || i == len(tokens) {
					kept = 0
				}
				if kept >= o.Width {
					rest += fmt.Sprint(tokens[i-o.Width+1:i+1], " ")
					few++
				}
				if !left {
					passages = append(passages, tokens[from:i])
					from = i + 1
				}
			}
		}
		if few < 5 {
			rest = ""
		}
		for s := range shingles(passages) {
			rests[s][rest] = true
			in[s]++
		}
	}
	learned = map[uint64]int{}
	for s, n := range in {
		if frequent[s] && n >= least && len(rests[s]) >= min(o.Documents, 10) {
			learned[s] = n
		}
	}
	return learned, len(seen)
}

// Learn finds the shingles that plain counting finds: of pages of several sites, with texts that stand on one of them,
// or on many.
func TestLearn(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	learned := 0
	for range 40 {
		o := Options{Width: MinWidth + rnd.IntN(6), Share: []float64{0, 0, .05, .1}[rnd.IntN(4)], Documents: 2 + rnd.IntN(10)}
		fresh := func(n int) []uint64 { return randomTokens(rnd, n, 1<<30) }
		var sites, mirrored [][]uint64
		for range 1 + rnd.IntN(8) {
			sites, mirrored = append(sites, fresh(5+rnd.IntN(60))), append(mirrored, fresh(20+rnd.IntN(20)))
		}
		var documents [][][]uint64
		for range 100 {
			site, text := sites[rnd.IntN(len(sites))], fresh(40)
			switch at := rnd.IntN(len(site)); rnd.IntN(5) {
			case 0:
				text = mirrored[rnd.IntN(len(mirrored))]
			case 1: // a counter
				site = slices.Concat(site[:at], fresh(rnd.IntN(o.Width+6)), site[at:])
			case 2:
				if len(documents) > 0 {
					documents = append(documents, documents[len(documents)-1])
					continue
				}
			}
			documents = append(documents, [][]uint64{slices.Concat(site, text), fresh(rnd.IntN(2))})
		}
		found, err := Learn(3, o, documentsOf(documents))
		if err != nil {
			t.Fatal(err)
		}
		want, different := naiveLearned(o, documents)
		learned += len(want)
		if found.Set.Len() != len(want) || int(found.Documents) != different || int(found.Copies) != len(documents)-different || found.Unfit != 0 {
			t.Fatalf("%+v: got %d shingles of %d documents and %d copies, want %d of %d", o, found.Set.Len(), found.Documents, found.Copies, len(want), different)
		}
		for _, values := range documents {
			for i := 0; i+o.Width <= len(values[0]); i++ {
				shingle := values[0][i : i+o.Width]
				if n := want[naiveShingle(shingle)>>32]; int(found.In(shingle)) != n || found.Set.has(shingle) != (n > 0) {
					t.Fatalf("%+v: a shingle stands in %d documents, want %d", o, found.In(shingle), n)
				}
			}
		}
	}
	if learned == 0 {
		t.Error("nothing was learned: the test shows nothing")
	}
}

// Without a place for all, the passages that come first are learned, and the documents of others are counted. With a
// filter that is too small for all, nothing is learned wrongly, and nothing is missed that is as frequent as Least says.
func TestLearnBounds(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 8))
	site := [][]uint64{randomTokens(rnd, 30, 1<<30), randomTokens(rnd, 30, 1<<30)}
	var documents [][][]uint64
	for i := range 200 {
		documents = append(documents, [][]uint64{slices.Concat(site[i/100], randomTokens(rnd, 20, 1<<30))})
	}
	o := Options{Width: 4, Documents: 10}
	l := newLearner(1, o)
	l.counts.most = 27
	if found := l.learn(documentsOf(documents)); found.Unfit != 100 || found.Set.Len() != 27 || !found.Set.has(site[0][:4]) {
		t.Errorf("places for one template: got %d shingles, %d documents that did not fit", found.Set.Len(), found.Unfit)
	}
	for _, most := range []int{64, 1 << 11} {
		l, want := newLearner(1, o), 0
		l.filter = make(filter, most) // it does not grow when it is as large as mostFilter
		for range 8 {
			l.filter = l.filter.grown()
		}
		found := l.learn(documentsOf(documents))
		if want = 54; found.Least > 100 {
			want = 0
		}
		if found.Set.Len() != want {
			t.Errorf("%d counts: got %d shingles of %d documents and more, want %d", len(l.filter), found.Set.Len(), found.Least, want)
		}
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
		{Options{Share: -1}, "template: share: wanted 0 to 1, got -1"},
		{Options{Share: 1.5}, "template: share: wanted 0 to 1, got 1.5"},
		{Options{Documents: 1}, "template: documents: wanted at least 2, got 1"},
	} {
		_, err := Learn(0, tt.o, documentsOf(nil))
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
	page := make([]uint64, 1000)
	for i := range page {
		page[i] = rnd.Uint64()
	}
	start := time.Now()
	var most uint64
	found, err := Learn(0, Options{}, func(yield func([][]uint64) bool) {
		for n := range *learnPages {
			for i := range 400 {
				page[300+i] = rnd.Uint64()
			}
			if !yield([][]uint64{page}) {
				return
			}
			if n%1000 == 0 {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.Sys)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d pages of 1,000 tokens: %v, %d MB of the process; %d shingles", *learnPages, time.Since(start), most>>20, found.Set.Len())
	if want := 600 - 2*(DefaultWidth-1); found.Set.Len() != want {
		t.Errorf("got %d shingles, want the %d of the template", found.Set.Len(), want)
	}
}

func ExampleLearn() {
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
	footer := "you get this mail because you subscribed to the list of roses"
	found, err := Learn(0, Options{}, func(yield func([][]uint64) bool) {
		for i := range 20 {
			if !yield([][]uint64{hash(fmt.Sprintf("rose %d flowers from May of year %d until month %d %s", i, 100+i, 200+i, footer))}) {
				return
			}
		}
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(found.Documents, "mails,", found.Set.Len(), "shingles; left out:", found.Set.Runs(hash("another mail "+footer)))
	// Output: 20 mails, 9 shingles; left out: [{2 14}]
}
