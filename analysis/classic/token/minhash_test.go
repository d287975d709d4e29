package token

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/numeric"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/classic"
	"github.com/neardup/bleve-neardup/analysis/signature"
)

func words(text string) analysis.TokenStream {
	return unicode.NewUnicodeTokenizer().Tokenize([]byte(text))
}

// text returns n words, of which every step-th differs from the text of step 0.
func text(n, step int) string {
	var b strings.Builder
	for i := range n {
		if step > 0 && i%step == 0 {
			b.WriteString("another ")
		}
		fmt.Fprintf(&b, "word%d ", i*7919%10007)
	}
	return b.String()
}

func build(t testing.TB, config map[string]any) analysis.TokenFilter {
	t.Helper()
	f, err := newMinhash(config, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// lanes are those that classic.MinwiseOf makes of a text's shingles.
func lanes(t *testing.T, p signature.Params, doc string) []uint64 {
	t.Helper()
	m, err := signature.NewMaker(p)
	if err != nil {
		t.Fatal(err)
	}
	m.Text([]byte(doc))
	return classic.MinwiseOf(classic.MinwiseParams{Lanes: p.Lanes, Seed: p.Seed}, m.Shingles()).Lanes
}

func TestMinhash(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		config map[string]any
		params signature.Params
	}{
		{nil, signature.DefaultParams()},
		{map[string]any{"lanes": 1024.0, "seed": "0x5eed", "width": 2}, signature.Params{Width: 2, Lanes: 1024, SimhashWidth: 4, Seed: 0x5eed}},
		{map[string]any{"fingerprint": "rabin40", "bag": true}, signature.Params{Width: 4, Lanes: 100, SimhashWidth: 4, Fingerprint: signature.Rabin40, Bag: true}},
	} {
		f := build(t, tt.config)
		for _, n := range []int{4, 5, 100, 3000} {
			doc := text(n, 0)
			want := lanes(t, tt.params, doc)
			got := f.Filter(words(doc))
			if len(got) != tt.params.Lanes {
				t.Fatalf("%v: got %d terms, want %d", tt.config, len(got), tt.params.Lanes)
			}
			for i, tok := range got {
				if len(tok.Term) != 16 || tok.Type != analysis.Shingle || tok.Position != i+1 || tok.Start != 0 || tok.End != len(doc)-1 {
					t.Fatalf("%v: got token %v", tt.config, tok)
				}
				if want := fmt.Sprintf("%04x%012x", i, want[i]&(1<<48-1)); string(tok.Term) != want {
					t.Fatalf("%v: got the term %s, want %s", tt.config, tok.Term, want)
				}
				if numeric, _ := numeric.ValidPrefixCodedTermBytes(tok.Term); numeric {
					t.Fatalf("%v: %s passes for a number", tt.config, tok.Term)
				}
			}
		}
		for _, doc := range []string{"", "word"} {
			if got := f.Filter(words(doc)); len(got) != 0 {
				t.Errorf("%v: %q: got %v", tt.config, doc, got)
			}
		}
	}
}

// The disjunction described in the package comment finds the documents of which that many
// lanes agree.
func TestQuery(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	if err := m.AddCustomTokenFilter("lanes", map[string]any{"type": Minhash}); err != nil {
		t.Fatal(err)
	}
	if err := m.AddCustomAnalyzer("lanes", map[string]any{"type": custom.Name, "tokenizer": unicode.Name, "token_filters": []string{"lanes"}}); err != nil {
		t.Fatal(err)
	}
	m.DefaultAnalyzer = "lanes"
	index, err := bleve.NewMemOnly(m)
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	docs := []string{text(600, 0)}
	for step := 5; step < 600; step += step / 4 {
		docs = append(docs, text(600, step))
	}
	for i, doc := range docs {
		if err := index.Index(fmt.Sprint(i), map[string]any{"body": doc}); err != nil {
			t.Fatal(err)
		}
	}
	base := lanes(t, signature.DefaultParams(), docs[0])
	counts := map[int]bool{}
	for _, least := range []int{50, 90, 100} {
		var terms []query.Query
		for _, tok := range build(t, nil).Filter(words(docs[0])) {
			q := bleve.NewTermQuery(string(tok.Term))
			q.SetField("body")
			terms = append(terms, q)
		}
		q := bleve.NewDisjunctionQuery(terms...)
		q.SetMin(float64(least))
		result, err := index.Search(bleve.NewSearchRequestOptions(q, 100, 0, false))
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, hit := range result.Hits {
			found[hit.ID] = true
		}
		for i, doc := range docs {
			agree := 0
			for i, v := range lanes(t, signature.DefaultParams(), doc) {
				if v == base[i] {
					agree++
				}
			}
			if want := agree >= least; found[fmt.Sprint(i)] != want {
				t.Errorf("at least %d lanes, document %d: got %v, want %v", least, i, !want, want)
			}
		}
		counts[len(found)] = true
	}
	if len(counts) != 3 {
		t.Errorf("got %v documents, wanted three different numbers", counts)
	}
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	f := build(t, nil)
	want := fmt.Sprint(f.Filter(words(text(300, 0))))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				if got := fmt.Sprint(f.Filter(words(text(300, 0)))); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			}
		})
	}
	wg.Wait()
}

func TestMinhashErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		config map[string]any
		want   string
	}{
		{map[string]any{"lanes": 15}, `neardup_minhash: lanes: wanted a whole number from 16 to 1024, got int "15"`},
		{map[string]any{"method": "fast"}, `neardup_minhash: method: wanted one of the keys`},
		{map[string]any{"lanes": 100, "agree": 90}, `neardup_minhash: agree: wanted one of the keys`},
	} {
		if _, err := newMinhash(tt.config, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: got %v, want %s", tt.config, err, tt.want)
		}
	}
}

func Example() {
	f, err := newMinhash(nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	a := f.Filter(words("the rose that climbs the wall of the old house is white"))
	b := f.Filter(words("the rose that climbs the wall of the old house is red"))
	common := 0
	for i := range a {
		if string(a[i].Term) == string(b[i].Term) {
			common++
		}
	}
	fmt.Println(len(a), "terms,", common, "in common")
	// Output: 100 terms, 86 in common
}
