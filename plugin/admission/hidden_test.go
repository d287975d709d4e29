package admission_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// newPages makes an index whose field body is fingerprinted by an analyzer of that configuration.
func newPages(t *testing.T, config map[string]any) bleve.Index {
	t.Helper()
	m := bleve.NewIndexMapping()
	config["type"] = "neardup"
	if err := m.AddCustomCharFilter("own", map[string]any{"type": "neardup_html", "leave_out": "nothing"}); err != nil {
		t.Fatal(err)
	}
	if err := m.AddCustomAnalyzer("pages", config); err != nil {
		t.Fatal(err)
	}
	body := bleve.NewDocumentMapping()
	body.AddFieldMapping(plugin.FieldMapping("pages"))
	m.DefaultMapping.AddSubDocumentMapping("body", body)
	x, err := plugin.New("", m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// What is done with a page follows from the words that were hidden as it was made.
func TestHidden(t *testing.T) {
	t.Parallel()
	documents := 80
	if testing.Short() {
		documents = 30
	}
	for i, tt := range []struct {
		config map[string]any
		policy admission.Hidden
	}{
		{map[string]any{"char_filters": []any{"neardup_html"}}, admission.Hidden{Share: .5}},
		{map[string]any{"char_filters": []any{"own"}}, admission.Hidden{Share: .3, MinWords: 5, Action: admission.Reject}},
		{map[string]any{"char_filters": []any{"neardup_skeleton", "neardup_html"}}, admission.Hidden{Share: 1, MinWords: 1}},
	} {
		x := newPages(t, tt.config)
		setPolicy(t, x, admission.Policy{Hidden: &tt.policy})
		rnd := rand.New(rand.NewPCG(1, uint64(i)))
		next := 0
		word := func(n int) string {
			var b strings.Builder
			for range n {
				next++
				fmt.Fprintf(&b, "w%d ", next)
			}
			return b.String()
		}
		seen := map[admission.Action]int{}
		for doc := range documents {
			hidden, all := 0, 0
			var values []any
			for range 1 + rnd.IntN(2) {
				page := ""
				for range rnd.IntN(5) {
					n := rnd.IntN(30)
					if rnd.IntN(4) == 0 {
						n = cmp.Or(tt.policy.MinWords, 20) // just enough
					}
					all += n
					open, end := "<p>", "</p>"
					switch rnd.IntN(5) {
					case 0:
						open, end = "<nav>", "</nav>"
					case 1, 2:
						k := rnd.IntN(4)
						open = []string{"<div hidden>", "<p style='display:none'>", "<noscript>", "<template>"}[k]
						end = []string{"</div>", "</p>", "</noscript>", "</template>"}[k]
						hidden += n
					}
					page += open + word(n) + end
				}
				values = append(values, page)
			}
			least := cmp.Or(tt.policy.MinWords, 20)
			want := admission.Verdict{ID: fmt.Sprint(doc), Action: admission.Accept}
			if hidden >= least && float64(hidden) >= tt.policy.Share*float64(all) {
				want.Action, want.Policy, want.Hidden = tt.policy.Action, "hidden", float64(hidden)/float64(all)
				if want.Action == "" {
					want.Action = admission.Tag
				}
			}
			got, err := plugin.Submit(context.Background(), x, want.ID, map[string]any{"body": values})
			if err != nil {
				t.Fatal(err)
			}
			if signed, err := plugin.Sign(x, "neardup", fmt.Sprint(values...)); err == nil && signed.Tokens == 0 {
				continue // nothing is left to judge
			}
			if got.String() != want.String() || got.Hidden != want.Hidden {
				t.Fatalf("%d of %d words of %s are hidden: got %v, want %v", hidden, all, values, got, want)
			}
			seen[got.Action]++
			if want.Hidden > 0 && !strings.Contains(got.String(), fmt.Sprintf("(hidden), %.0f %% of its words are hidden", 100*want.Hidden)) {
				t.Errorf("got %v", got)
			}
		}
		if v, err := plugin.Submit(context.Background(), x, "no page", map[string]any{"title": "a"}); err != nil || v.Action != admission.Accept {
			t.Errorf("without a page: got %v, %v", v, err)
		}
		if seen[admission.Accept] < documents/8 || len(seen) != 2 {
			t.Errorf("got %v, want both", seen)
		}
		if n := x.StatsMap()["index"].(map[string]any)["neardup_by_hidden"]; i == 0 && fmt.Sprint(n) != fmt.Sprint(seen[admission.Tag]) {
			t.Errorf("StatsMap: got %v of %d", n, seen[admission.Tag])
		}
	}
}

// A policy that asks for what no filter sees is an error that names the filter.
func TestHiddenUnseen(t *testing.T) {
	t.Parallel()
	const want = `neardup: hidden: needs the char filter "neardup_html", or one of that type, in the analyzer of field "neardup", which has none`
	p := &admission.Policy{Hidden: &admission.Hidden{Share: .5}}
	for _, config := range []map[string]any{{}, {"char_filters": []any{"html"}}, {"char_filters": []any{"neardup_skeleton"}}} {
		x := newPages(t, config)
		if err := plugin.SetPolicy(context.Background(), x, p); err == nil || err.Error() != want {
			t.Errorf("%v: got %v, want %s", config, err, want)
		}
		if v := submit(t, x, page{id: "a", body: "<p hidden>" + strings.Repeat("a ", 100)}); v.Action != admission.Accept {
			t.Errorf("%v: got %v", config, v)
		}
	}
}

// What is marked as wanted is judged by what it hides all the same, and a shadow only tags.
func TestHiddenWanted(t *testing.T) {
	t.Parallel()
	x := newPages(t, map[string]any{"char_filters": []any{"neardup_html"}})
	setPolicy(t, x, admission.Policy{Hidden: &admission.Hidden{Share: .4, Action: admission.Reject}, Shadow: true})
	body := words(rand.New(rand.NewPCG(1, 1)), 1)
	if err := typed(x).MarkText(context.Background(), "m", admission.Wanted, body); err != nil {
		t.Fatal(err)
	}
	v := submit(t, x, page{id: "a", body: "<p>" + body + "<p hidden>" + body})
	if v.Action != admission.Tag || v.Would != admission.Reject || v.Policy != "hidden" || v.Hidden != .5 {
		t.Errorf("got %v", v)
	}
}
