package token

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/numeric"

	"github.com/neardup/bleve-neardup/analysis/classic"
	"github.com/neardup/bleve-neardup/analysis/signature"
)

func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "word%d ", i*7919%10007)
	}
	return b.String()
}

func TestSupershingle(t *testing.T) {
	t.Parallel()
	lanes200 := signature.DefaultParams()
	lanes200.Lanes = 200
	for _, tt := range []struct {
		config map[string]any
		params signature.Params
		plan   classic.Plan
	}{
		{nil, signature.DefaultParams(), classic.DefaultPlan()},
		{map[string]any{"groups": 10, "group_width": 10}, signature.DefaultParams(), classic.Plan{Groups: 10, Width: 10, Need: 1}},
		{map[string]any{"groups": 64, "group_width": 3, "lanes": 200}, lanes200, classic.Plan{Groups: 64, Width: 3, Need: 1}},
	} {
		f, err := newSupershingle(tt.config, nil)
		if err != nil {
			t.Fatal(err)
		}
		doc := numbered(0, 300)
		sig := signature.Of(tt.params, []byte(doc))
		want := classic.SupershinglesOf(tt.plan, sig.Sketch, sig.Params).Features
		got := f.Filter(words(doc))
		if len(got) != len(want) {
			t.Fatalf("%v: got %d terms, want %d", tt.config, len(got), len(want))
		}
		for i, tok := range got {
			if term := fmt.Sprintf("%02x", i) + fmt.Sprintf("%016x", want[i])[2:]; string(tok.Term) != term {
				t.Errorf("%v: got the term %s, want %s", tt.config, tok.Term, term)
			}
			if tok.Type != analysis.Shingle || tok.Position != i+1 || tok.Start != 0 || tok.End != len(doc)-1 {
				t.Errorf("%v: got token %v", tt.config, tok)
			}
			if numeric, _ := numeric.ValidPrefixCodedTermBytes(tok.Term); numeric {
				t.Errorf("%v: %s passes for a number", tt.config, tok.Term)
			}
		}
		for _, doc := range []string{"", "three words only"} {
			if got := f.Filter(words(doc)); len(got) != 0 {
				t.Errorf("%v: %q: got %v", tt.config, doc, got)
			}
		}
	}
}

// Near-copies have two terms in common, unrelated texts none.
func TestCommonTerms(t *testing.T) {
	t.Parallel()
	f, err := newSupershingle(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	terms := func(text string) (all []string) {
		for _, tok := range f.Filter(words(text)) {
			all = append(all, string(tok.Term))
		}
		return all
	}
	common := func(a, b string) (n int) {
		other := terms(b)
		for _, term := range terms(a) {
			if slices.Contains(other, term) {
				n++
			}
		}
		return n
	}
	if n := common(numbered(0, 300), numbered(0, 301)); n < 2 {
		t.Errorf("a near-copy has %d terms in common", n)
	}
	if n := common(numbered(0, 300), numbered(5000, 5300)); n != 0 {
		t.Errorf("an unrelated text has %d terms in common", n)
	}
}

func TestSupershingleErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		config map[string]any
		want   string
	}{
		{map[string]any{"groups": 0}, `neardup_supershingle: groups: wanted a whole number from 1 to 64, got int "0"`},
		{map[string]any{"groups": 8, "group_width": 129}, `neardup_supershingle: group_width: wanted a whole number from 1 to 128`},
		{map[string]any{"groups": 8}, `neardup_supershingle: lanes: wanted at least 112 for 8 groups of 14, got 100`},
		{map[string]any{"lanes": 64}, `neardup_supershingle: lanes: wanted at least 84 for 6 groups of 14, got 64`},
		{map[string]any{"groups": 64}, `neardup_supershingle: lanes: wanted at least 896 for 64 groups of 14, got 100`},
		{map[string]any{"need": 2}, `neardup_supershingle: need: wanted one of the keys`},
	} {
		if _, err := newSupershingle(tt.config, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: got %v, want %s", tt.config, err, tt.want)
		}
	}
}

func Example_supershingle() {
	f, err := newSupershingle(nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, tok := range f.Filter(words("a rose is a rose is a rose")) {
		fmt.Println(string(tok.Term))
	}
	// Output:
	// 007fbf04a93ebe10
	// 01a679dd4eb3807a
	// 02ef0ad070042386
	// 03ca4b232eb1b992
	// 04d98b6823bf4831
	// 056e583f3cb7c66f
}
