package signature_test

import (
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// A Maker with a Counter makes the same signatures, and the Counter counts the same as it
// does alone.
func TestMakerRepetition(t *testing.T) {
	t.Parallel()
	docs, step := neartest.Shipped(t)[:300], 30
	if testing.Short() {
		step = 100
	}
	for _, p := range several() {
		m, c := newMaker(t, p), repetition.NewCounter()
		m.Repetition(c)
		for i := 1; i < len(docs); i += step {
			a, b := []byte(docs[i-1].Text), []byte(docs[i].Text)
			m.Text(a)
			m.Text(b)
			checkEqual(t, docs[i].ID, m.Signature(), signature.Of(p, a, b))
			if got, want := c.Figures(), repetition.Of(a, b); got != want {
				t.Errorf("%s: got %+v, want %+v", docs[i].ID, got, want)
			}
		}
		m.Repetition(nil)
		m.Text([]byte("not counted"))
		m.Signature()
		if got := c.Figures(); got != (repetition.Figures{}) {
			t.Errorf("got %+v", got)
		}
	}
}

// Tokens that come one by one, without a text, count as if one space stood between them.
func TestMakerRepetitionOfTerms(t *testing.T) {
	t.Parallel()
	m, c := newMaker(t, signature.DefaultParams()), repetition.NewCounter()
	m.Repetition(c)
	text := "buy cheap watches now buy cheap watches now and then"
	for _, w := range strings.Fields(text) {
		m.Term([]byte(w))
	}
	m.Signature()
	want := repetition.Of([]byte(text))
	if got := c.Figures(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// BenchmarkRepetition is BenchmarkOf with and without a Counter.
func BenchmarkRepetition(b *testing.B) {
	for _, bb := range sizes {
		for _, with := range []string{"off", "on"} {
			b.Run(bb.name+"/"+with, func(b *testing.B) { benchmarkRepetition(b, english(b, bb.size), with) })
		}
	}
	for _, with := range []string{"off", "on"} {
		b.Run("CJK/"+with, func(b *testing.B) { benchmarkRepetition(b, cjk(3000), with) })
	}
}

func benchmarkRepetition(b *testing.B, docs [][]byte, with string) {
	m, c := newMaker(b, signature.DefaultParams()), repetition.NewCounter()
	if with == "on" {
		m.Repetition(c)
	}
	b.SetBytes(int64(len(docs[0])))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		m.Text(docs[i%len(docs)])
		m.Signature()
		if with == "on" {
			c.Figures()
		}
	}
}
