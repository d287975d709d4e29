package neardup

import (
	"fmt"
	"maps"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// The numbers of a text are those of its tokens: after char filters, with any tokenizer, in
// any value. The repetition counter changes nothing.
func TestNumbers(t *testing.T) {
	t.Parallel()
	const page = `<nav>page %d of 9</nav><p>%s %d. <a href="/%[1]d?n=2">Back</a> to the list of all walks that start in the town.</p>`
	for _, tt := range []struct {
		config     map[string]any
		a, b       []string
		duplicates bool
	}{
		{nil, []string{text + " 1"}, []string{text + " 1!"}, true},
		{nil, []string{text + " 1"}, []string{text + " 2"}, false},
		{nil, []string{text + " 1", "2"}, []string{"2", text + " 1"}, true},
		{nil, []string{text + " 1", "2"}, []string{text + " 2", "1"}, true}, // the same two values of numbers
		{nil, []string{text + " 1", "2"}, []string{text + " 1 2"}, false},
		{map[string]any{"char_filters": []any{"neardup_html"}}, []string{fmt.Sprintf(page, 1, text, 5)}, []string{fmt.Sprintf(page, 2, text, 5)}, true},
		{map[string]any{"char_filters": []any{"neardup_html"}}, []string{fmt.Sprintf(page, 1, text, 5)}, []string{fmt.Sprintf(page, 1, text, 6)}, false},
		{map[string]any{"tokenizer": "unicode"}, []string{text + " 1"}, []string{text + " ١"}, true},
		{map[string]any{"tokenizer": "unicode"}, []string{text + " 1"}, []string{text + " ٢"}, false},
		{map[string]any{"tokenizer": "unicode", "token_filters": []any{"to_lower"}}, []string{text, "1 2"}, []string{text, "1 3"}, false},
	} {
		config := map[string]any{"numbers": "equal"}
		maps.Copy(config, tt.config)
		a := build(t, config)
		if p := a.Params(); p.Numbers != signature.NumbersEqual || p.ID() == build(t, tt.config).Params().ID() {
			t.Errorf("%v: got %+v", config, p)
		}
		// A rule by which texts match that share most of their shingles.
		rule := signature.Rule{Lanes: 50, Hamming: 9}
		x, y := signText(a, tt.a...), signText(a, tt.b...)
		if got := rule.Duplicates(x, y); got != tt.duplicates {
			t.Errorf("%v, %q and %q: near-duplicates: %v, want %v", config, tt.a, tt.b, got, tt.duplicates)
		}
		if len(tt.a) == 1 {
			again, err := a.SignWith(Figures{Repetition: true}, nil, []byte(tt.a[0]))
			sameSignature(t, "counted", again.Signature, *x)
			if err != nil || again.Repetition.Tokens != x.Tokens {
				t.Errorf("got %+v, %v", again.Repetition, err)
			}
		}
		config["numbers"] = "any"
		x, y = signText(build(t, config), tt.a...), signText(build(t, config), tt.b...)
		if !rule.Duplicates(x, y) {
			t.Errorf("%v, %q and %q: no near-duplicates", config, tt.a, tt.b)
		}
	}
}
