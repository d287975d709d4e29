package shingle_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

func ExampleCompare() {
	a := []byte("The quick brown fox jumps over the lazy dog.")
	b := []byte("The quick brown fox leaps over the lazy dog.")
	c := shingle.Compare(4, false, [][]token.Token{token.Split(a)}, [][]token.Token{token.Split(b)}, 10)
	fmt.Println(c.Shared, "shared,", c.A.Own, "and", c.B.Own, "not")
	for _, s := range c.B.SharedSpans {
		fmt.Printf("  both: %q\n", b[s.Start:s.End])
	}
	for _, s := range c.B.OwnSpans {
		fmt.Printf("  second alone: %q\n", b[s.Start:s.End])
	}
	// Output:
	// 2 shared, 4 and 4 not
	//   both: "The quick brown fox"
	//   both: "over the lazy dog"
	//   second alone: "quick brown fox leaps over the lazy"
}

// folded returns the folded tokens of a text.
func folded(value []byte) (all []string) {
	for _, t := range token.Split(value) {
		all = append(all, string(t.Term))
	}
	return all
}

// On real text: the tokens are those that are signed, their places are right, and the
// numbers are those of exact sets.
func TestAgainstOracle(t *testing.T) {
	t.Parallel()
	docs := neartest.Shipped(t)
	for i := range 24 { // all widths, with and without copies of shingles
		a, b := []byte(docs[i*7%len(docs)].Text), []byte(docs[(i*7+i%4)%len(docs)].Text)
		p := signature.DefaultParams()
		p.Width, p.Bag, p.Seed = 1+i%6, i%2 == 0, uint64(i)
		set := neartest.Shingles
		if p.Bag {
			set = neartest.Bag
		}
		setA, setB := set(folded(a), p.Width), set(folded(b), p.Width)
		both := common(setA, setB)
		got := shingle.Compare(p.Width, p.Bag, [][]token.Token{token.Split(a)}, [][]token.Token{token.Split(b)}, 1<<30)
		if got.Shared != both || got.A.Own != len(setA)-both || got.B.Own != len(setB)-both {
			t.Errorf("%d: %d shared, %d and %d not; want %d, %d, %d", i, got.Shared, got.A.Own, got.B.Own, both, len(setA)-both, len(setB)-both)
		}
		sig := signature.Of(p, a)
		if int(sig.Shingles) != got.Shared+got.A.Own || int(sig.Tokens) != len(folded(a)) {
			t.Errorf("%d: %d shingles, %d tokens; signed are %d, %d", i, got.Shared+got.A.Own, len(folded(a)), sig.Shingles, sig.Tokens)
		}
		if !p.Bag {
			checkSpans(t, p.Width, a, got.A, setB)
			checkSpans(t, p.Width, b, got.B, setA)
		}
	}
}

// checkSpans checks that the spans of a text have exactly the shingles that they claim, by
// signing only their own text.
func checkSpans(t *testing.T, width int, text []byte, side shingle.Side, other map[string]struct{}) {
	t.Helper()
	total := 0
	check := func(spans []shingle.Span, shared bool) {
		for _, s := range spans {
			inside := folded(text[s.Start:s.End])
			if len(inside) != s.Shingles+width-1 {
				t.Errorf("%q has %d tokens, want %d", text[s.Start:s.End], len(inside), s.Shingles+width-1)
			}
			for one := range neartest.Shingles(inside, width) {
				if _, ok := other[one]; ok != shared {
					t.Errorf("%q: in the other %v, want %v", one, ok, shared)
				}
			}
			total += s.Shingles
		}
	}
	check(side.SharedSpans, true)
	check(side.OwnSpans, false)
	if want := max(0, len(folded(text))-width+1); total != want {
		t.Errorf("the spans have %d shingles, want %d", total, want)
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	a := []byte(strings.Repeat("one two three four five six seven ", 3) + "eight nine ten")
	b := append([]byte("other words in front of it: "), a...)
	values := func(texts ...[]byte) (all [][]token.Token) {
		for _, text := range texts {
			all = append(all, token.Split(text))
		}
		return all
	}
	got := shingle.Compare(4, false, values(a), values([]byte("a value of its own"), b), 5)
	want := shingle.Comparison{
		Shared: 10,
		A:      shingle.Side{SharedSpans: []shingle.Span{{Value: 0, Start: 0, End: 37, Shingles: 5}}},
		B: shingle.Side{
			Own:         2 + 6,
			SharedSpans: []shingle.Span{{Value: 1, Start: 28, End: 28 + 37, Shingles: 5}},
			OwnSpans:    []shingle.Span{{Value: 0, Start: 0, End: 18, Shingles: 2}, {Value: 1, Start: 0, End: 26, Shingles: 3}},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if got := shingle.Compare(4, false, nil, values(nil, []byte("two words")), 5); !reflect.DeepEqual(got, shingle.Comparison{}) {
		t.Errorf("no shingle: got %+v", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("shingles of no token: no panic")
		}
	}()
	shingle.Compare(0, false, nil, nil, 1)
}

// common counts the elements that two sets have in common.
func common(a, b map[string]struct{}) (n int) {
	for s := range a {
		if _, ok := b[s]; ok {
			n++
		}
	}
	return n
}
