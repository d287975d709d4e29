package neardup

import (
	"fmt"
	"strings"
	"testing"

	_ "github.com/blevesearch/bleve/v2/analysis/lang/en"    // registers "stop_en"
	_ "github.com/blevesearch/bleve/v2/analysis/token/stop" // registers "stop_tokens"
	_ "github.com/blevesearch/bleve/v2/analysis/tokenmap"   // registers "custom"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// Without its stop words a text has the signature of the words that remain, and shingles
// cross the gaps.
func TestStopWords(t *testing.T) {
	t.Parallel()
	for _, f := range signature.Fingerprints() {
		config := map[string]any{"tokenizer": "unicode", "token_filters": []any{"to_lower", "stop_en"}, "fingerprint": string(f)}
		a := build(t, config)
		got, _ := a.Sign([]byte(text), []byte("the and of"))
		m, err := signature.NewMaker(a.Params())
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range strings.Fields("quick brown fox jumps lazy dog cat looks garden wall evening sun") {
			m.Term([]byte(word))
		}
		want := m.Signature()
		if got.Tokens != 12 || got.Shingles != 9 || got.Exact != want.Exact || got.Simhash != want.Simhash {
			t.Errorf("%s: got %+v, want %+v", f, got, want)
		}
		config["token_filters"] = []any{"to_lower"}
		if all := build(t, config).Params().ID(); all == a.Params().ID() {
			t.Errorf("%s: with and without stop words the parameters have the ID %x", f, all)
		}
	}
}

// A list of your own is a token map of bleve and a filter that names it.
func TestOwnStopWords(t *testing.T) {
	t.Parallel()
	m := mapping.NewIndexMapping()
	for _, err := range []error{
		m.AddCustomTokenMap("furniture", map[string]any{"type": "custom", "tokens": []any{"garden", "wall"}}),
		m.AddCustomTokenFilter("no_furniture", map[string]any{"type": "stop_tokens", "stop_token_map": "furniture"}),
		m.AddCustomAnalyzer("pages", map[string]any{
			"type": Name, "tokenizer": "unicode", "token_filters": []any{"to_lower", "no_furniture"},
		}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	a := m.AnalyzerNamed("pages").(*Analyzer)
	with, _ := a.Sign([]byte(text))
	without, _ := a.Sign([]byte(strings.ReplaceAll(text, "garden wall ", "")))
	if with.Exact != without.Exact || with.Tokens != 20 {
		t.Errorf("got %+v, want %+v", with, without)
	}
}

// Stop words left out by bleve's own filter: texts that differ only in them are equal.
func ExampleAnalyzer_stopWords() {
	m := mapping.NewIndexMapping()
	err := m.AddCustomAnalyzer("page_signature", map[string]any{
		"type": Name, "tokenizer": "unicode", "token_filters": []any{"to_lower", "stop_en"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	a := m.AnalyzerNamed("page_signature").(*Analyzer)
	one, _ := a.Sign([]byte("The fox jumps over a lazy dog"))
	other, _ := a.Sign([]byte("A fox: it jumps over the lazy dog"))
	fmt.Println(one.Tokens, "tokens, equal:", one.Exact == other.Exact)
	// Output: 4 tokens, equal: true
}
