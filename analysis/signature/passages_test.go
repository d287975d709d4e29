package signature_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// winnowed selects in plain loops what Params.Passages asks for: of each window of each value, the least element.
func winnowed(p signature.Params, values ...[]string) []uint64 {
	all := map[uint64]bool{}
	window := p.Passages - p.Width + 1
	for _, words := range values {
		prints := fingerprints(p, p.Width, words)
		for i := range prints {
			prints[i] = spread(p, prints[i])
		}
		for i := 0; i+window <= len(prints); i++ {
			all[slices.Min(prints[i:i+window])%(1<<40)] = true
		}
	}
	values40 := []uint64{}
	for v := range all {
		values40 = append(values40, v)
	}
	slices.Sort(values40)
	return values40
}

// What a Maker selects is what plain loops select, whatever the parameters, by text and by tokens, with several values,
// and also where a template is left out of the signature.
func TestPassages(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(41, 42))
	shared := words(rnd, 300, 1<<30)
	for _, p := range several() {
		p.Passages = p.Width + rnd.IntN(60)
		m := newMaker(t, p)
		var set *template.Set
		left := newMaker(t, p)
		if set = learn(t, p, template.Options{Documents: 2}, strings.Join(shared, " ")+" x", "y "+strings.Join(shared, " ")); left.Without(set) != nil {
			left = nil // nothing can be left out
		}
		for range 6 {
			var values [][]string
			for range rnd.IntN(4) {
				value := words(rnd, rnd.IntN(1500), 1+rnd.IntN(500))
				at, from := rnd.IntN(len(value)+1), rnd.IntN(len(shared))
				values = append(values, slices.Concat(value[:at], shared[from:], value[at:]))
			}
			want := winnowed(p, values...)
			for _, m := range []*signature.Maker{m, left} {
				if m == nil {
					continue
				}
				for i, value := range values {
					if i%2 == 0 {
						m.Text(layout(rnd, value))
						continue
					}
					for _, word := range value {
						m.Term([]byte(word))
					}
					m.EndValue()
				}
				got := m.Passages()
				if got.Params != p.ID() || !slices.Equal(got.Values, want) {
					t.Fatalf("%+v, left out %v: got %d values, want %d", p, m == left, len(got.Values), len(want))
				}
				if m.Signature(); m.Passages().Values != nil {
					t.Fatalf("%+v: a document begins with values of another", p)
				}
			}
		}
	}
}

// Passages are beside the signature: it is the same without them, but for its ID.
func TestPassagesBeside(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(43, 44))
	for _, p := range several() {
		with := p
		with.Passages = p.Width
		text := layout(rnd, words(rnd, 2000, 300))
		want := signature.Of(p, text)
		if got := signature.Of(with, text); got.Params == want.Params {
			t.Errorf("%+v: one ID for both", p)
		} else {
			got.Params = want.Params
			checkEqual(t, fmt.Sprintf("%+v", with), got, want)
		}
		m := newMaker(t, p)
		m.Text(text)
		if got := m.Passages(); got.Values != nil || got.Params != p.ID() {
			t.Errorf("%+v: got %v without passages", p, got)
		}
	}
}

// Texts with a passage in common have a value in common, wherever it stands in them; shorter texts have none.
func TestPassagesGuarantee(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(45, 46))
	p := signature.DefaultParams()
	p.Passages = 50
	m := newMaker(t, p)
	of := func(text []byte) []uint64 {
		m.Text(text)
		defer m.Signature()
		return m.Passages().Values
	}
	docs := neartest.Shipped(t)
	for range 300 {
		a, b := strings.Fields(docs[rnd.IntN(len(docs))].Text), words(rnd, rnd.IntN(900), 100)
		hashes := p.Hashes(nil, []byte(strings.Join(a, " ")))
		if len(hashes) < 50 {
			continue
		}
		from := rnd.IntN(len(a))
		to := min(len(a), from+60+rnd.IntN(100))
		quote := strings.Join(a[from:to], " ")
		if len(p.Hashes(nil, []byte(quote))) < 50 {
			continue
		}
		at := rnd.IntN(len(b) + 1)
		other := of(fmt.Appendf(nil, "%s\n> %s\n%s", plain(b[:at]), quote, plain(b[at:])))
		whole := of([]byte(strings.Join(a, " ")))
		if !slices.ContainsFunc(whole, func(v uint64) bool { return slices.Contains(other, v) }) {
			t.Fatalf("%q: nothing in common", quote)
		}
	}
	if got := of(plain(words(rnd, 49, 100))); got != nil {
		t.Errorf("49 words: got %v", got)
	}
	if got := of(plain(words(rnd, 50, 100))); len(got) != 1 {
		t.Errorf("50 words: got %v, wanted one", got)
	}
}

func TestPassagesErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		change func(*signature.Params)
		want   string
	}{
		{func(p *signature.Params) { p.Passages = 4 }, "<nil>"},
		{func(p *signature.Params) { p.Passages = 10_000 }, "<nil>"},
		{func(p *signature.Params) { p.Passages = 3 }, "signature: passages: wanted 0, or words of a shingle or more, 4 to 10000, got 3"},
		{func(p *signature.Params) { p.Passages = -1 }, "signature: passages: wanted 0, or words of a shingle or more, 4 to 10000, got -1"},
		{func(p *signature.Params) { p.Passages = 10_001 }, "signature: passages: wanted 0, or words of a shingle or more, 4 to 10000, got 10001"},
	} {
		p := signature.DefaultParams()
		tt.change(&p)
		if got := fmt.Sprint(p.Validate()); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

// A text that repeats one sentence, of megabytes, has few values, and takes no more time than others.
func TestPassagesRepeated(t *testing.T) {
	t.Parallel()
	p := signature.DefaultParams()
	p.Passages = 50
	m := newMaker(t, p)
	m.Text(bytes.Repeat([]byte("the quick brown fox jumps over the lazy dog "), 100_000))
	if got := m.Passages().Values; len(got) == 0 || len(got) > 9 {
		t.Errorf("got %d values", len(got))
	}
}

// What passages cost a signature. One text again and again would teach the processor where its least fingerprints
// stand.
func BenchmarkPassages(b *testing.B) {
	var texts [][]byte
	size := 0
	for _, t := range neartest.Shipped(b)[:100] {
		texts = append(texts, []byte(t.Text[:min(len(t.Text), 30_000)]))
		size += len(texts[len(texts)-1])
	}
	for _, passages := range []int{0, 50} {
		p := signature.DefaultParams()
		p.Passages = passages
		b.Run(fmt.Sprintf("passages=%d", passages), func(b *testing.B) {
			m := newMaker(b, p)
			b.SetBytes(int64(size))
			for b.Loop() {
				for _, text := range texts {
					m.Text(text)
					if passages > 0 {
						m.Passages()
					}
					m.Signature()
				}
			}
		})
	}
}
