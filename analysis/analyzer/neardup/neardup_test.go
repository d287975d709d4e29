package neardup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/blevesearch/bleve/v2/analysis"
	_ "github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	_ "github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

const text = "The quick brown fox jumps over the lazy dog, and the cat looks on from the garden wall in the evening sun."

func build(t testing.TB, config map[string]any) *Analyzer {
	t.Helper()
	a, err := AnalyzerConstructor(config, registry.NewCache())
	if err != nil {
		t.Fatal(err)
	}
	return a.(*Analyzer)
}

// signText returns the signature of a document with the given values.
func signText(a *Analyzer, values ...string) *signature.Signature {
	var raw [][]byte
	for _, v := range values {
		raw = append(raw, []byte(v))
	}
	sig, _ := a.Sign(raw...)
	return &sig
}

func TestTerms(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		config               map[string]any
		plain, whenSigned, n int
	}{
		{nil, 15, 0, 10},
		{map[string]any{"terms": "bands"}, 15, 15, 10},
		{map[string]any{"terms": "none"}, 0, 0, 0},
		{map[string]any{"terms": "all"}, 19, 19, 16},
		{map[string]any{"terms": "bottom", "s": 5}, 5, 5, 16},
		{map[string]any{"terms": "mod", "m": 1}, 19, 19, 16},
		{map[string]any{"terms": "all", "width": 2}, 21, 21, 16},
		{map[string]any{"terms": "all", "width": 1}, 18, 18, 16},
		{map[string]any{"terms": "all", "width": 1, "bag": true}, 22, 22, 16},
		{map[string]any{"terms": "all", "fingerprint": "xxhash64", "simhash_weight": "log"}, 19, 19, 16},
		{map[string]any{"terms": "all", "fingerprint": "rabin40", "simhash_width": 1}, 19, 19, 16},
		{map[string]any{"fingerprint": "rabin64"}, 15, 0, 10},
	} {
		a := build(t, tt.config)
		plain := a.Analyze([]byte(text))
		sig, signed := a.Sign([]byte(text))
		if len(plain) != tt.plain || len(signed) != tt.whenSigned {
			t.Errorf("%v: got %d terms, and %d with a signature; want %d, %d", tt.config, len(plain), len(signed), tt.plain, tt.whenSigned)
		}
		for _, tok := range plain {
			if len(tok.Term) != tt.n || tok.End != len(text) {
				t.Errorf("%v: got token %v", tt.config, tok)
			}
		}
		if want := signature.Of(a.Params(), []byte(text)); sig.Exact != want.Exact || sig.Simhash != want.Simhash || sig.Shingles != want.Shingles {
			t.Errorf("%v: got signature %v, want %v", tt.config, sig, want)
		}
	}
}

// With a chain of bleve's own components the tokens are those of that chain, and signatures
// made with other chains do not match.
func TestTokenizer(t *testing.T) {
	t.Parallel()
	chain := build(t, map[string]any{"tokenizer": "unicode", "token_filters": []any{"to_lower"}})
	own := build(t, nil)
	input := []byte(strings.Repeat(text+" ", 2))
	before := bytes.Clone(input)
	a, _ := chain.Sign(input)
	b, _ := own.Sign(input)
	if !bytes.Equal(input, before) {
		t.Error("Sign changed its input")
	}
	if a.Tokens != b.Tokens || a.Exact != b.Exact || a.Params == b.Params {
		t.Errorf("got %d and %d tokens, exact %x and %x, parameters %x and %x", a.Tokens, b.Tokens, a.Exact, b.Exact, a.Params, b.Params)
	}
	if _, ok := (signature.Rule{}).Match(&a, &b); ok {
		t.Error("signatures of two tokenizers match")
	}
}

func TestConfigErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		config map[string]any
		want   string
	}{
		{map[string]any{"width": -1}, `neardup: width: wanted a whole number from 1 to 16, got int "-1"`},
		{map[string]any{"simhash_weight": "tf"}, `neardup: simhash_weight: wanted one of ["distinct" "count" "log"], or the name of a function that signature.RegisterWeight got before, got string "tf"`},
		{map[string]any{"fingerprint": "sha1"}, `neardup: fingerprint: wanted one of ["polynomial" "xxhash64" "rabin64" "rabin40"], got string "sha1"`},
		{map[string]any{"bag": "yes"}, `neardup: bag: wanted true or false, got string "yes"`},
		{map[string]any{"terms": "few"}, `neardup: terms: wanted one of ["bands" "all" "mod" "bottom" "none"], got string "few"`},
		{map[string]any{"terms": []any{"bands", "few"}}, `neardup: terms: wanted one of ["bands" "all" "mod" "bottom" "none"], got []interface {} "[bands few]"`},
		{map[string]any{"terms": 3}, `neardup: terms: wanted one of ["bands" "all" "mod" "bottom" "none"], got int "3"`},
		{map[string]any{"char_filters": []any{"htlm"}}, `neardup: char_filters: wanted names of registered char filters, got "htlm"`},
		{map[string]any{"tokenizer": "nope"}, `neardup: tokenizer: wanted the name of a registered tokenizer, got "nope"`},
		{map[string]any{"tokenizer": 3}, `neardup: tokenizer: wanted a string, got int "3"`},
		{map[string]any{"token_filters": []any{"to_lower"}}, `neardup: token_filters: ["to_lower"] need a tokenizer: name one in "tokenizer"`},
		{map[string]any{"tokenizer": "unicode", "token_filters": []any{"nope"}}, `neardup: token_filters: wanted names of registered token filters, got "nope"`},
		{map[string]any{"shingle_width": 4}, `neardup: shingle_width: wanted one of the keys`},
	} {
		if _, err := AnalyzerConstructor(tt.config, registry.NewCache()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: got %v, want %s", tt.config, err, tt.want)
		}
	}
}

// A mapping that went through JSON keeps all that the mapping had.
func TestMappingJSON(t *testing.T) {
	t.Parallel()
	m := mapping.NewIndexMapping()
	if err := m.AddCustomAnalyzer("pages", map[string]any{"type": Name, "width": 3, "lanes": 200, "seed": "0xfeedbeefcafef00d", "fingerprint": "rabin64", "bag": true}); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var back mapping.IndexMappingImpl
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	before := m.AnalyzerNamed("pages").(*Analyzer).Params()
	after := back.AnalyzerNamed("pages").(*Analyzer).Params()
	if before != after || before.Width != 3 || before.Lanes != 200 || before.Seed != 0xfeedbeefcafef00d ||
		before.Fingerprint != signature.Rabin64 || !before.Bag {
		t.Errorf("got %+v, then %+v", before, after)
	}
	err = m.AddCustomAnalyzer("wrong", map[string]any{"type": Name, "width": 99})
	if err == nil || !strings.Contains(err.Error(), "neardup: width: wanted a whole number from 1 to 16, got int \"99\"") {
		t.Errorf("got %v", err)
	}
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	a := build(t, map[string]any{"terms": "all"})
	want := fmt.Sprint(a.Analyze([]byte(text)))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 50 {
				a.Sign([]byte(strings.Repeat(text, i)))
				if got := fmt.Sprint(a.Analyze([]byte(text))); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			}
		})
	}
	wg.Wait()
}

func ExampleAnalyzer() {
	m := mapping.NewIndexMapping()
	err := m.AddCustomAnalyzer("page_signature", map[string]any{
		"type": Name, "char_filters": []any{"neardup_html"}, "terms": "all",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var a analysis.Analyzer = m.AnalyzerNamed("page_signature")
	fmt.Println(len(a.Analyze([]byte("<p>a rose is <b>a ro</b>se is a rose</p>"))), "fingerprints")
	// Output: 3 fingerprints
}

// In each configuration Tokens returns the tokens that are signed, with their true places.
func TestTokens(t *testing.T) {
	t.Parallel()
	const page = "<p>The QUICK <b>br</b>own fox &amp; the lazy dog, <i>naïve</i>.</p> " + text
	for _, tt := range []struct {
		config map[string]any
		second string // text at the place of the second token
	}{
		{nil, "The"},
		{map[string]any{"char_filters": []any{"neardup_html"}}, "QUICK"},
		{map[string]any{"tokenizer": "unicode", "token_filters": []any{"to_lower"}}, "The"},
		{map[string]any{"tokenizer": "unicode", "token_filters": []any{"to_lower", "stop_en"}, "char_filters": []any{"html"}}, "br"},
	} {
		a := build(t, tt.config)
		value := []byte(page)
		filtered, tokens := a.Tokens(value)
		if string(value) != page {
			t.Errorf("%v: the value was changed", tt.config)
		}
		m, err := signature.NewMaker(a.Params())
		if err != nil {
			t.Fatal(err)
		}
		for _, token := range tokens {
			m.Term(token.Term)
		}
		got := m.Signature()
		if want, _ := a.Sign(value); got.Exact != want.Exact || got.Tokens != want.Tokens {
			t.Errorf("%v: got %v, want %v", tt.config, got, want)
		}
		if got := string(filtered[tokens[1].Start:tokens[1].End]); got != tt.second {
			t.Errorf("%v: the second token stands at %q, want %q", tt.config, got, tt.second)
		}
	}
}

// If "terms" is left out, bands are emitted, but only on a plain index.
func TestBands(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		terms            any
		neardup, onPlain bool
	}{{nil, false, true}, {"bands", true, true}, {"none", false, false}, {"mod", false, false}} {
		a := build(t, map[string]any{"terms": tt.terms, "agree": 80})
		plan, here := a.Bands(false)
		_, plain := a.Bands(true)
		if here != tt.neardup || plain != tt.onPlain || plan.Bands != 21 {
			t.Errorf("terms %v: got %v, %v with %d bands", tt.terms, here, plain, plan.Bands)
		}
	}
}
