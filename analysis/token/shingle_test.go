package token

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// words tokenizes like a mapping with bleve's tokenizer and filter.
func words(text string) analysis.TokenStream {
	return lowercase.NewLowerCaseFilter().Filter(unicode.NewUnicodeTokenizer().Tokenize([]byte(text)))
}

func build(t testing.TB, config map[string]any) analysis.TokenFilter {
	t.Helper()
	f, err := registry.NewCache().DefineTokenFilter("f", config)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func terms(stream analysis.TokenStream) (all []string) {
	for _, t := range stream {
		all = append(all, string(t.Term))
	}
	return all
}

func TestShingle(t *testing.T) {
	t.Parallel()
	const text = "A rose is a rose is a rose"
	for w, want := range map[int]int{1: 3, 2: 3, 3: 3, 4: 3, 8: 1, 9: 0} {
		f := build(t, map[string]any{"type": Shingle, "width": w})
		got := f.Filter(words(text))
		if len(got) != want {
			t.Errorf("width %d: got %d terms, want %d", w, len(got), want)
		}
		if !slices.IsSorted(terms(got)) || len(slices.Compact(terms(got))) != len(got) {
			t.Errorf("width %d: terms are not in order, or not distinct: %q", w, terms(got))
		}
		for i, tok := range got {
			if len(tok.Term) != 16 || tok.Type != analysis.Shingle || tok.Position != i+1 || tok.Start != 0 || tok.End != len(text) {
				t.Errorf("width %d: got token %v", w, tok)
			}
		}
	}
	// The built-in tokens are the same here, so the fingerprints are the same.
	m, err := signature.NewMaker(signature.DefaultParams())
	if err != nil {
		t.Fatal(err)
	}
	m.Text([]byte(text))
	var want []string
	for _, f := range m.Shingles() {
		want = append(want, fmt.Sprintf("%016x", f))
	}
	slices.Sort(want)
	if got := terms(build(t, map[string]any{"type": Shingle}).Filter(words(text))); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSamples(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "w%d ", i*i%1999)
	}
	all := terms(build(t, map[string]any{"type": Shingle, "sample": "all"}).Filter(words(b.String())))
	bottom := terms(build(t, map[string]any{"type": Shingle, "sample": "bottom", "s": 50.0}).Filter(words(b.String())))
	if !slices.Equal(bottom, all[:50]) {
		t.Error("bottom-s is not the s smallest")
	}
	mod := terms(build(t, map[string]any{"type": Shingle, "sample": "mod", "m": 16}).Filter(words(b.String())))
	var want []string
	for _, term := range all {
		if strings.HasSuffix(term, "0") {
			want = append(want, term)
		}
	}
	if !slices.Equal(mod, want) || len(mod) == 0 {
		t.Errorf("mod 16: got %d terms, want the %d divisible ones", len(mod), len(want))
	}
}

func TestShingleEmpty(t *testing.T) {
	t.Parallel()
	f := build(t, map[string]any{"type": Shingle})
	for _, text := range []string{"", "two words"} {
		if got := f.Filter(words(text)); len(got) != 0 {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestShingleErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		config map[string]any
		want   string
	}{
		{map[string]any{"width": "four"}, `neardup_shingle: width: wanted a whole number from 1 to 16, got string "four"`},
		{map[string]any{"sample": "some"}, `neardup_shingle: sample: wanted one of ["all" "mod" "bottom"], got string "some"`},
		{map[string]any{"m": 0}, `neardup_shingle: m: wanted a whole number from 1`},
		{map[string]any{"fingerprint": "md5"}, `neardup_shingle: fingerprint: wanted one of ["polynomial" "xxhash64" "rabin64" "rabin40"], got string "md5"`},
		{map[string]any{"bag": 1}, `neardup_shingle: bag: wanted true or false, got int "1"`},
		{map[string]any{"size": 0}, `neardup_shingle: size: wanted one of the keys`},
	} {
		if _, err := newShingle(tt.config, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: got %v, want %s", tt.config, err, tt.want)
		}
	}
}

func Example() {
	f, err := newShingle(map[string]any{"width": 3}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range f.Filter(words("a rose is a rose is a rose")) {
		fmt.Printf("%d %s\n", t.Position, t.Term)
	}
	// Output:
	// 1 97014b81250c42d7
	// 2 bd267324102c5857
	// 3 dba3276ad1c0a3d3
}
