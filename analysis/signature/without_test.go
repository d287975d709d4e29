package signature_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// learn returns the set of what the texts share; each is the value of a document that has a text of its own, too.
func learn(t testing.TB, p signature.Params, o template.Options, texts ...string) *template.Set {
	t.Helper()
	var documents [][][]uint64
	for i, text := range texts {
		documents = append(documents, [][]uint64{p.Hashes(nil, []byte(text)), p.Hashes(nil, own(i))})
	}
	found, err := template.Learn(p.ID(), o, slices.Values(documents))
	if err != nil {
		t.Fatal(err)
	}
	return found.Set
}

// own is a text of twenty words that no other number has.
func own(i int) (text []byte) {
	for j := range 20 {
		text = fmt.Appendf(text, "own%dof%d ", j, i)
	}
	return text
}

func makerWithout(t testing.TB, p signature.Params, set *template.Set) *signature.Maker {
	t.Helper()
	m, err := signature.NewMaker(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Without(set); err != nil {
		t.Fatal(err)
	}
	return m
}

// What a Maker makes without a set is what plain loops say: tokens in frequent shingles go, no
// shingle crosses where they were, and the exact hash is that of the rest.
func TestWithout(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	words := func(n, kinds int) []string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf("w%d", rnd.IntN(kinds))
		}
		return list
	}
	for _, p := range []signature.Params{
		signature.DefaultParams(),
		{Width: 2, Lanes: 50, SimhashWidth: 3, SimhashWeight: signature.WeightCount, Seed: 7},
		{Width: 5, Lanes: 100, SimhashWidth: 2, Fingerprint: signature.Rabin64, Bag: true},
	} {
		shared := words(300, 1<<30)
		set := learn(t, p, template.Options{Width: 6, Documents: 2}, strings.Join(shared, " ")+" x", "y "+strings.Join(shared, " "))
		if set.Len() != 295 {
			t.Fatalf("got %d shingles, want 295", set.Len())
		}
		m := makerWithout(t, p, set)
		plain, err := signature.NewMaker(p)
		if err != nil {
			t.Fatal(err)
		}
		for range 60 {
			var all []string // of one value
			for range rnd.IntN(5) {
				all = append(all, words(rnd.IntN(700), 1000)...)
				from := rnd.IntN(len(shared))
				all = append(all, shared[from:from+rnd.IntN(len(shared)-from+1)]...)
			}
			left := make([]bool, len(all))
			at := map[string]int{}
			for i, w := range shared {
				at[w] = i + 1
			}
			for i := 0; i+10 <= len(all); i++ {
				j := at[all[i]] - 1
				if j >= 0 && j+10 <= len(shared) && slices.Equal(all[i:i+10], shared[j:j+10]) {
					for k := range 10 {
						left[i+k] = true
					}
				}
			}
			for i := 1; i < len(all); i++ { // gaps
				if end := slices.Index(left[i:], true); left[i-1] && end > 0 && end < 10 {
					left[i] = true
				}
			}
			var rest []string
			var pieces [][]string
			for i, w := range all {
				if left[i] {
					continue
				}
				if len(pieces) == 0 || left[i-1] {
					pieces = append(pieces, nil)
				}
				rest = append(rest, w)
				pieces[len(pieces)-1] = append(pieces[len(pieces)-1], w)
			}
			m.Text([]byte(strings.Join(all, " ")))
			if n := m.Left(); int(n) != len(all)-len(rest) {
				t.Fatalf("%d tokens left out, want %d", n, len(all)-len(rest))
			}
			got := m.Signature()
			for _, piece := range pieces { // each a value: no shingle crosses
				plain.Text([]byte(strings.Join(piece, " ")))
			}
			want := plain.Signature()
			want.Exact = signature.Of(p, []byte(strings.Join(rest, " "))).Exact
			a, _ := got.MarshalText()
			b, _ := want.MarshalText()
			if string(a) != string(b) {
				t.Fatalf("%+v, %d pieces: got %+v, want %+v", p, len(pieces), got, want)
			}
		}
	}
}

func TestWithoutErrors(t *testing.T) {
	t.Parallel()
	p := signature.DefaultParams()
	set := learn(t, p, template.Options{})
	other := p
	other.Seed = 1
	joined := p
	joined.Fingerprint = signature.XXHash64
	function := p
	function.SimhashWeight = weighed
	for _, tt := range []struct {
		p    signature.Params
		want string
	}{
		{p, "<nil>"},
		{other, fmt.Sprintf("signature: template: wanted one learned with the parameters of the signatures, %#x, got one of %#x", other.ID(), p.ID())},
		{function, `signature: template: wanted a simhash_weight that is one of ["distinct" "count" "log"], got "lengths of tests", a function of the text`},
		{joined, `signature: template: wanted another fingerprint than "xxhash64", got it`},
	} {
		m, err := signature.NewMaker(tt.p)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(m.Without(set)); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

// Terms of another tokenizer have the same hashes for a learner as for a maker.
func TestTermHashes(t *testing.T) {
	t.Parallel()
	p := signature.DefaultParams()
	text := "the quick brown fox"
	var terms []token.Token
	for w := range strings.FieldsSeq(text) {
		terms = append(terms, token.Token{Term: []byte(w)})
	}
	if a, b := p.Hashes(nil, []byte(text)), p.TermHashes(nil, terms); !slices.Equal(a, b) {
		t.Errorf("got %x, want %x", b, a)
	}
}

// BenchmarkWithout signs plain pages of a site, and texts without a template, with a set and
// without, in turns of 20, and reports the least time of one with each, and their ratio.
func BenchmarkWithout(b *testing.B) {
	var texts []string
	for _, d := range neartest.Shipped(b) {
		if words := strings.Fields(d.Text); len(words) >= 500 {
			texts = append(texts, strings.Join(words[:500], " "))
		}
	}
	var pages []string
	for _, text := range texts[1:40] {
		pages = append(pages, texts[0]+"\n"+text)
	}
	set := learn(b, signature.DefaultParams(), template.Options{}, pages...)
	for _, bb := range []struct{ name, page string }{{"page", pages[7]}, {"text", texts[50] + texts[51]}} {
		b.Run(bb.name, func(b *testing.B) {
			const turn = 20
			page := []byte(bb.page)
			makers := []*signature.Maker{makerWithout(b, signature.DefaultParams(), nil), makerWithout(b, signature.DefaultParams(), set)}
			least := [2]time.Duration{time.Hour, time.Hour}
			for b.Loop() {
				for i, m := range makers {
					start := time.Now()
					for range turn {
						m.Text(page)
						m.Signature()
					}
					least[i] = min(least[i], time.Since(start)/turn)
				}
			}
			b.ReportMetric(float64(least[0].Nanoseconds()), "whole-ns")
			b.ReportMetric(float64(least[1].Nanoseconds()), "without-ns")
			b.ReportMetric(float64(least[1])/float64(least[0]), "times")
			b.ReportMetric(0, "ns/op")
		})
	}
}
