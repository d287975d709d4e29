package verify_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	_ "github.com/neardup/bleve-neardup/analysis/char"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/verify"
	"github.com/neardup/bleve-neardup/plugin"
)

// Texts are shingled as they are signed: whatever the analyzer, and whatever is left out, the
// numbers are those of shingle.Compare, which works on tokens.
func TestCompare(t *testing.T) {
	t.Parallel()
	const footer = "you get this mail because you subscribed to the list of roses and lilies"
	for _, config := range []map[string]any{
		nil,
		{"preset": "short"},
		{"char_filters": []any{"neardup_html"}},
		{"tokenizer": "unicode", "token_filters": []any{"to_lower"}},
		{"bag": true, "width": 2},
		{"fingerprint": "rabin64", "seed": 3},
		{"fingerprint": "xxhash64"},
		{"numbers": "equal"},
	} {
		full := map[string]any{"type": neardup.Name}
		maps.Copy(full, config)
		m := bleve.NewIndexMapping()
		if err := m.AddCustomAnalyzer("own", full); err != nil {
			t.Fatal(err)
		}
		m.DefaultMapping.AddFieldMappingsAt("body", bleve.NewTextFieldMapping(), plugin.FieldMapping("own"))
		a := m.AnalyzerNamed("own").(*neardup.Analyzer)
		var sets *template.Sets
		var left *template.Set
		if config["fingerprint"] != "xxhash64" { // of which nothing can be left out
			var documents [][][]uint64
			for i := range 20 {
				documents = append(documents, [][]uint64{a.Hashes(nil, []byte(strings.Repeat(fmt.Sprintf("mail%d more%d ", i, i), 9)+footer))})
			}
			found, err := template.Learn(a.Params().ID(), template.Options{}, slices.Values(documents))
			if err != nil {
				t.Fatal(err)
			}
			left = found.Set
			if sets, err = template.NewSets("", map[string]*template.Set{"": left}); err != nil {
				t.Fatal(err)
			}
		}
		texts, err := verify.NewTexts(m, plugin.Field, sets)
		if err != nil {
			t.Fatal(err)
		}
		rnd := rand.New(rand.NewPCG(7, 8))
		var all []*document
		for range 8 {
			all = append(all, newDocument(t, rnd, a, left, footer))
		}
		shared := 0
		for _, x := range all {
			own := texts.Given(&x.sig, "", x.values)
			stored := texts.Stored(&x.sig, func(field string) [][]byte {
				if field != "body" {
					return nil
				}
				return x.values
			})
			if own == nil || stored == nil {
				t.Fatalf("%v: the text of a signature is not found", config)
			}
			if texts.Given(&x.sig, "", [][]byte{[]byte("another text, of other words")}) != nil || texts.Stored(&x.sig, func(string) [][]byte { return nil }) != nil {
				t.Fatalf("%v: another text is taken for that of a signature", config)
			}
			for _, y := range all {
				c := shingle.Compare(a.Params().Width, a.Params().Bag, x.tokens, y.tokens, 0)
				want := verify.Shares{Shared: c.Shared, A: c.Shared + c.A.Own, B: c.Shared + c.B.Own}
				if got := verify.Compare(own, texts.Given(&y.sig, "", y.values)); got != want {
					t.Fatalf("%v: %q and %q: got %+v, want %+v", config, x.values, y.values, got, want)
				}
				if want.Shared > 0 && want.Shared < want.Union() {
					shared++
				}
			}
		}
		if shared < 25 {
			t.Errorf("%v: %d pairs share something: this test shows little", config, shared)
		}
	}
}

type document struct {
	values [][]byte
	sig    signature.Signature
	tokens [][]token.Token
}

func newDocument(t *testing.T, rnd *rand.Rand, a *neardup.Analyzer, left *template.Set, footer string) *document {
	x := new(document)
	for range 1 + rnd.IntN(3) {
		var b strings.Builder
		b.WriteString("<p>") // markup to one of the analyzers
		for range 30 {
			fmt.Fprintf(&b, "word%d ", rnd.IntN(3))
		}
		b.WriteString("</p>")
		if rnd.IntN(2) == 0 {
			b.WriteString(footer)
		}
		x.values = append(x.values, []byte(b.String()))
	}
	made, err := a.SignWith(neardup.Figures{}, left, x.values...)
	if err != nil {
		t.Fatal(err)
	}
	x.sig = made.Signature
	for _, v := range x.values {
		_, remain, _ := a.Remaining(left, v)
		x.tokens = append(x.tokens, remain...)
	}
	return x
}

// A text that is shorter than a shingle counts as one, which no other text has.
func TestShort(t *testing.T) {
	t.Parallel()
	texts, err := verify.NewTexts(nil, plugin.Field)
	if err != nil {
		t.Fatal(err)
	}
	of := func(value string) *verify.Text {
		sig := signature.Of(signature.DefaultParams(), []byte(value))
		return texts.Given(&sig, "", [][]byte{[]byte(value)})
	}
	if got := verify.Compare(of("One, two"), of("one two")); got != (verify.Shares{Shared: 1, A: 1, B: 1}) {
		t.Errorf("equal texts: got %+v", got)
	}
	if got := verify.Compare(of("one two"), of("two one")); got != (verify.Shares{A: 1, B: 1}) {
		t.Errorf("others: got %+v", got)
	}
	if got := verify.Compare(of("one two"), of("one two three four five")); got != (verify.Shares{A: 1, B: 2}) {
		t.Errorf("a longer one: got %+v", got)
	}
}

// A Cache returns what was read, has what was met last, and lets go of the rest.
func TestCache(t *testing.T) {
	t.Parallel()
	texts, err := verify.NewTexts(nil, plugin.Field)
	if err != nil {
		t.Fatal(err)
	}
	var long strings.Builder
	for i := range 100 {
		fmt.Fprintf(&long, "%d ", i)
	}
	c := verify.Cache[int]{Most: 64 << 10}
	reads := 0
	text := func(doc int) *verify.Text {
		return c.Text(doc, func() *verify.Text {
			reads++
			if doc%7 == 0 {
				return nil
			}
			value := []byte(long.String()[:len(long.String())-doc%50])
			sig := signature.Of(signature.DefaultParams(), value)
			return texts.Given(&sig, "", [][]byte{value})
		})
	}
	const n = 300 // of 1.5 KB each
	for doc := range n {
		if got := text(doc); (got == nil) != (doc%7 == 0) {
			t.Fatalf("document %d: got %v", doc, got)
		}
		if text(doc); reads != doc+1 {
			t.Fatalf("document %d is read again at once", doc)
		}
	}
	for doc := n - 1; doc >= n-12; doc-- {
		if text(doc); reads != n {
			t.Fatalf("document %d is not kept", doc)
		}
	}
	if text(1); reads != n+1 {
		t.Error("all documents are kept")
	}
}

// Each type of documents has its own default analyzer.
func TestDefaultAnalyzers(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	for i, name := range []string{"a", "b", "c", "d"} {
		if err := m.AddCustomAnalyzer(name, map[string]any{"type": neardup.Name, "width": 1 + i}); err != nil {
			t.Fatal(err)
		}
		dm := bleve.NewDocumentMapping()
		dm.DefaultAnalyzer = name
		dm.AddFieldMappingsAt("body", bleve.NewTextFieldMapping())
		m.AddDocumentMapping(name, dm)
	}
	texts, err := verify.NewTexts(m, "body")
	if err != nil {
		t.Fatal(err)
	}
	for name := range m.TypeMapping {
		body := []byte("one two three four five six")
		sig, err := m.AnalyzerNamed(name).(*neardup.Analyzer).Sign(body)
		if err != nil || texts.Given(&sig, "", [][]byte{body}) == nil {
			t.Errorf("%s: the text of a signature is not found, %v", name, err)
		}
	}
}
