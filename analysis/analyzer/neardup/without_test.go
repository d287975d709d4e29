package neardup

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// Whatever the tokenizer and the char filters, what remains is signed as if it were a text of
// its own; a text of which nothing remains is signed as it is; and the next text of the same
// analyzer is not affected.
func TestSignWithout(t *testing.T) {
	t.Parallel()
	const footer = "you get this mail because you subscribed to the list of roses and lilies"
	const body = "the quick brown fox jumps over the lazy dog near the bank of the river"
	for _, config := range []map[string]any{
		nil,
		{"char_filters": []any{"neardup_html"}},
		{"tokenizer": "unicode", "token_filters": []any{"to_lower", "stemmer_porter"}}, // words of its own
		{"bag": true, "width": 3, "terms": "all"},
	} {
		a := build(t, config)
		var documents [][][]uint64
		for i := range 20 {
			text := strings.Repeat(fmt.Sprintf("mail%d ", i), 10)
			documents = append(documents, [][]uint64{a.Hashes(nil, []byte("<p>"+text+"</p> "+footer))})
		}
		learned, err := template.Learn(a.Params().ID(), template.Options{}, slices.Values(documents))
		if err != nil {
			t.Fatal(err)
		}
		set := learned.Set
		whole, _ := a.Sign([]byte(body + " " + footer))
		want, wantTerms := a.Sign([]byte(body))
		for range 2 {
			value := []byte(strings.ToUpper(body) + " " + footer)
			got, err := a.SignWith(Figures{}, set, value)
			if err != nil || got.Left != uint64(len(strings.Fields(footer))) || len(got.Terms) != len(wantTerms) {
				t.Fatalf("%v: %d left out, %d terms, want %d: %v", config, got.Left, len(got.Terms), len(wantTerms), err)
			}
			sameSignature(t, fmt.Sprint(config), got.Signature, want)
			counted, err := a.SignWith(Figures{Repetition: true}, set, value)
			sameSignature(t, fmt.Sprint(config, " counted"), counted.Signature, want)
			if all, none := a.SignWith(Figures{Repetition: true}, nil, value); err != nil || none != nil || *counted.Repetition != *all.Repetition {
				t.Errorf("%v: what is repeated is not that of the whole: %v", config, err)
			}
			again, _ := a.Sign([]byte(body + " " + footer))
			sameSignature(t, fmt.Sprint(config, " without a set"), again, whole)
		}
		none, err := a.SignWith(Figures{}, set, []byte(footer), []byte(footer))
		as, _ := a.Sign([]byte(footer), []byte(footer))
		sameSignature(t, fmt.Sprint(config, " nothing but a template"), none.Signature, as)
		if none.Left != 0 || err != nil {
			t.Errorf("%v: %d left out of what is signed as it is, %v", config, none.Left, err)
		}

		text, remain, out := a.Remaining(set, []byte(body+" "+footer+" "+body))
		if len(remain) != 2 || len(out) != 1 || string(text[out[0][0].Start:out[0][len(out[0])-1].End]) != footer {
			t.Errorf("%v: got %v and %v", config, remain, out)
		}
		if _, tokens := a.Tokens([]byte(body)); !slices.EqualFunc(remain[0], tokens, func(a, b token.Token) bool { return string(a.Term) == string(b.Term) && a.Start == b.Start }) {
			t.Errorf("%v: got %v before it, want %v", config, remain[0], tokens)
		}
		if _, remain, out := a.Remaining(nil, []byte(footer)); len(remain) != 1 || out != nil {
			t.Errorf("%v: of no set: got %v and %v", config, remain, out)
		}
		if other := build(t, map[string]any{"seed": 7}); other.Takes(set) == nil || other.Takes(nil) != nil || a.Takes(set) != nil {
			t.Errorf("%v: wanted an error from other parameters alone", config)
		} else if _, err := other.SignWith(Figures{}, set, []byte(body)); err == nil {
			t.Errorf("%v: signed with a set of other parameters", config)
		}
	}
}
