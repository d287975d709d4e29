package signature_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// One changed word makes another signature, but in a long text one that the default rule
// accepts by its lanes.
func TestOneWord(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(63, 64))
	p, rule := signature.DefaultParams(), signature.Rule{}
	for range 100 {
		all := words(rnd, 1000, 1<<20)
		a := signature.Of(p, plain(all))
		all[rnd.IntN(len(all))] = "changed"
		b := signature.Of(p, plain(all))
		match, ok := rule.Match(&a, &b)
		if !ok || match.By&signature.ByExact != 0 || match.By&signature.BySketch == 0 {
			t.Fatalf("one word of 1,000: got %+v, %v", match, ok)
		}
	}
}

// Texts without any token match nothing, not even each other. Texts shorter than a shingle
// match only by the exact hash.
func TestShort(t *testing.T) {
	t.Parallel()
	p, rule := signature.DefaultParams(), signature.Rule{}
	for _, tt := range []struct {
		a, b    string
		tokens  uint64
		matches bool
	}{
		{"", "", 0, false},
		{"", "?!", 0, false},
		{" \t\n", "… ☺", 0, false},
		{"\xff\xfe", "\xc3", 0, false},
		{"one", "One!", 1, true},
		{"one", "two", 1, false},
		{"one two three", "(one) two\nTHREE", 3, true},
		{"one two three", "one three two", 3, false},
		{"one", "", 1, false},
	} {
		a, b := signature.Of(p, []byte(tt.a)), signature.Of(p, []byte(tt.b))
		if a.Tokens != tt.tokens || a.Shingles != 0 || a.Lanes != 0 || a.Sketch != nil || a.Simhash != 0 || (a.Exact == 0) != (a.Tokens == 0) {
			t.Errorf("%q: got %+v", tt.a, a)
		}
		match, ok := rule.Match(&a, &b)
		if ok != tt.matches || ok && match.By != signature.ByExact || rule.Duplicates(&a, &b) != ok {
			t.Errorf("%q, %q: got %+v, %v, want %v", tt.a, tt.b, match, ok, tt.matches)
		}
	}
}

// Signatures of the same text made with any other parameter do not match.
func TestParamsDiffer(t *testing.T) {
	t.Parallel()
	text := []byte(strings.Repeat("one two three four five six seven ", 20))
	all := []signature.Params{
		{Width: 4, Lanes: 100, SimhashWidth: 4},
		{Width: 5, Lanes: 100, SimhashWidth: 4},
		{Width: 4, Lanes: 101, SimhashWidth: 4},
		{Width: 4, Lanes: 100, SimhashWidth: 3},
		{Width: 4, Lanes: 100, SimhashWidth: 4, SimhashWeight: signature.WeightCount},
		{Width: 4, Lanes: 100, SimhashWidth: 4, Seed: 1},
		{Width: 4, Lanes: 100, SimhashWidth: 4, Tokens: "whitespace"},
		{Width: 4, Lanes: 100, SimhashWidth: 4, SimhashWeight: signature.WeightLog},
		{Width: 4, Lanes: 100, SimhashWidth: 4, Bag: true},
		{Width: 4, Lanes: 100, SimhashWidth: 4, Fingerprint: signature.XXHash64},
		{Width: 4, Lanes: 100, SimhashWidth: 4, Fingerprint: signature.Rabin64},
		{Width: 4, Lanes: 100, SimhashWidth: 4, Fingerprint: signature.Rabin40},
		{Width: 4, Lanes: 100, SimhashWidth: 4, Numbers: signature.NumbersEqual},
	}
	rule := signature.Rule{Lanes: 1, Hamming: 64}
	for i, p := range all {
		a := signature.Of(p, text)
		for j, q := range all {
			b := signature.Of(q, text)
			_, ok := rule.Match(&a, &b)
			_, estimated := a.Resemblance(&b)
			if want := i == j; ok != want || rule.Duplicates(&a, &b) != want || estimated != want {
				t.Errorf("%+v and %+v: match is %v, want %v", p, q, ok, want)
			}
		}
	}
	a, b := signature.Of(all[0], text), signature.Of(all[5], text)
	if a.Exact == b.Exact || a.Simhash == b.Simhash || a.Sketch[0] == b.Sketch[0] {
		t.Error("the seed does not change everything")
	}
}

func TestOfConcurrently(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(65, 66))
	texts := make([][]byte, 20)
	wants := make([]signature.Signature, len(texts))
	for i := range texts {
		all := words(rnd, 200+i, 500)
		texts[i], wants[i] = plain(all), naive(signature.DefaultParams(), all)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range texts {
				got := signature.Of(signature.DefaultParams(), texts[i])
				if got.Exact != wants[i].Exact || got.Simhash != wants[i].Simhash || got.Sketch[12] != wants[i].Sketch[12] {
					t.Errorf("text %d: got %+v, want %+v", i, got, wants[i])
				}
			}
		})
	}
	wg.Wait()
}

func TestOfPanics(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	signature.Of(signature.Params{}, []byte("text"))
}

// Bytes of any kind have a signature, which is the same each time.
func TestHostile(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(69, 70))
	p := signature.DefaultParams()
	for range 300 {
		text := make([]byte, rnd.IntN(3000))
		top := []int{1, 2, 32, 128, 256}[rnd.IntN(5)]
		for i := range text {
			text[i] = byte(rnd.IntN(top)) ^ byte(rnd.IntN(2)*rnd.IntN(256))
		}
		kept := string(text)
		got := signature.Of(p, text)
		if string(text) != kept {
			t.Fatal("the text was changed")
		}
		// Bytes that are not UTF-8 separate: around the text they change nothing.
		checkEqual(t, fmt.Sprintf("%q", text), signature.Of(p, []byte("\xff "+kept+" \xff")), got)
	}
}

// Of takes memory only for distinct shingles.
func TestMemory(t *testing.T) {
	size := 16 << 20
	if testing.Short() {
		size = 1 << 20
	}
	for _, unit := range []string{"a", "word ", "one two three four five. ", "é", "日", "\xff", " "} {
		n := size
		if unit[0] > 0x7f {
			n /= 10 // text that is not ASCII takes the slow path
		}
		text := []byte(strings.Repeat(unit, n/len(unit)))
		signature.Of(signature.DefaultParams(), text[:1000])
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s := signature.Of(signature.DefaultParams(), text)
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 || s.Shingles > 5 {
			t.Errorf("%d bytes of %q: allocated %d bytes, %d shingles", len(text), unit, grown, s.Shingles)
		}
	}
}

// Only the sketch is allocated.
func TestOneAllocation(t *testing.T) {
	text := plain(words(rand.New(rand.NewPCG(71, 72)), 450, 1<<20))
	for _, p := range several() {
		m := newMaker(t, p)
		for name, of := range map[string]func(){
			"Maker": func() { m.Text(text); m.Signature() },
			"Of":    func() { signature.Of(p, text) },
		} {
			// The least counts, since Of's pool might lose a Maker at any time.
			least := testing.AllocsPerRun(1, of)
			for range 50 {
				least = min(least, testing.AllocsPerRun(1, of))
			}
			if least != 1 {
				t.Errorf("%s, %+v: %v allocations, want 1", name, p, least)
			}
		}
	}
}
