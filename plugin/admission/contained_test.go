package admission_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/signaturetest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/templates"
)

// quoted is an index with passages of so many words.
func quoted(t testing.TB, words int, stored bool) bleve.Index {
	t.Helper()
	m := bleve.NewIndexMapping()
	if err := m.AddCustomAnalyzer("quoted", map[string]any{"type": neardup.Name, "passages": words}); err != nil {
		t.Fatal(err)
	}
	body := bleve.NewTextFieldMapping()
	body.Index, body.Store = false, stored
	m.DefaultMapping.AddFieldMappingsAt("body", body, plugin.FieldMapping("quoted"))
	tenant := bleve.NewTextFieldMapping()
	tenant.Analyzer, tenant.DocValues = keyword.Name, false
	m.DefaultMapping.AddFieldMappingsAt("tenant", tenant)
	x, err := plugin.New("", m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// texts are parts and collections of one another.
func texts(t testing.TB, rnd *rand.Rand, n int) (all []string) {
	t.Helper()
	docs := signaturetest.Shipped(t)
	part := func(text string, most int) []string {
		words := strings.Fields(text)
		from := rnd.IntN(len(words))
		return words[from:min(len(words), from+1+rnd.IntN(most))]
	}
	for i := range n {
		own := part(docs[rnd.IntN(len(docs))].Text, 150)
		if i > 0 {
			other := strings.Fields(all[rnd.IntN(i)])
			switch rnd.IntN(4) {
			case 0:
				own = part(strings.Join(other, " "), 200)
			case 1:
				own = slices.Concat(own[:min(len(own), 10)], part(strings.Join(other, " "), 200))
			case 2:
				own = slices.Concat(own, other)
			}
		}
		all = append(all, strings.Join(own[:min(len(own), 300)], " "))
	}
	return all
}

// inRuns is a text by its runs of so many words.
type inRuns struct {
	least, words int
	runs         []string
	has          map[string]bool
}

func newInRuns(least int, text string) *inRuns {
	var words []string
	for _, token := range signature.Tokens([]byte(text)) {
		words = append(words, string(token.Term))
	}
	r := &inRuns{least: least, words: len(words), has: map[string]bool{}}
	for i := 0; i+least <= len(words); i++ {
		r.runs = append(r.runs, strings.Join(words[i:i+least], " "))
		r.has[r.runs[i]] = true
	}
	return r
}

// standing is the share of words that are in runs which another text has, in plain loops.
func (r *inRuns) standing(other *inRuns) float64 {
	in, n := make([]bool, r.words), 0
	for i, run := range r.runs {
		if other.has[run] {
			for k := range r.least {
				if !in[i+k] {
					n++
				}
				in[i+k] = true
			}
		}
	}
	return float64(n) / float64(max(1, len(in)))
}

// What stands in a learned template alone is not looked up: not in the index, nor in a batch. What is found by another passage is compared
// with the template, and without a guard all is found.
func TestContainedTemplates(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(41, 42))
	some := func(n int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "w%d ", rnd.IntN(1<<30))
		}
		return b.String()
	}
	for _, stored := range []bool{true, false} {
		footer := some(60)
		source := quoted(t, 20, true)
		for i := range 60 {
			if err := source.Index(fmt.Sprint(i), map[string]any{"body": some(40) + footer}); err != nil {
				t.Fatal(err)
			}
		}
		found, err := templates.Learn(t.Context(), source, templates.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, maxShare := range []float64{0, 1} {
			x := quoted(t, 20, stored)
			if _, err := templates.Use(t.Context(), x, found); err != nil {
				t.Fatal(err)
			}
			setPolicy(t, x, admission.Policy{Contained: &admission.Contained{Share: .5, MaxShare: maxShare}})
			rare := some(40)
			texts := []string{rare + some(200) + footer, some(10) + footer, some(12) + footer, rare + footer, footer, some(50) + footer}
			want := []string{"", "0", "0 1", "0", "0 1 2 3", "0 1 2 3 4"} // without a guard
			if maxShare == 0 {
				want = []string{"", "", "", "0", "0 1 2 3", ""} // a text that is a template whole is signed as it is
			}
			for _, batch := range []bool{false, true} {
				var verdicts []admission.Verdict
				b := x.NewBatch()
				for i, text := range texts {
					if err := b.Index(fmt.Sprint(i), map[string]any{"body": text}); err != nil {
						t.Fatal(err)
					}
					if batch && i < len(texts)-1 {
						continue
					}
					v, err := plugin.SubmitBatch(t.Context(), x, b)
					if err != nil {
						t.Fatal(err)
					}
					verdicts = append(verdicts, v...)
					b.Reset()
				}
				for i, v := range verdicts {
					of := v.Of
					if !slices.Contains(strings.Fields(want[i]), of) && (of != "" || want[i] != "") {
						t.Errorf("stored %v, max_share %v, batch %v: %s: got %+v, want one of %q", stored, maxShare, batch, v.ID, v, want[i])
					}
					if i == 3 && (stored != v.Verified || stored && v.Share != 1) {
						t.Errorf("stored %v: got %+v, want it to stand whole in 0", stored, v)
					}
				}
				for i := range texts {
					if err := x.Delete(fmt.Sprint(i)); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
}

// Against plain loops over all documents: alone and in batches, by tenants, with documents that are written anew and deleted.
func TestContained(t *testing.T) {
	t.Parallel()
	const least = 12
	rnd := rand.New(rand.NewPCG(31, 32))
	n := 150
	if testing.Short() {
		n = 40
	}
	all := texts(t, rnd, n)
	var byRuns []*inRuns
	for _, text := range all {
		byRuns = append(byRuns, newInRuns(least, text))
	}
	acted := 0
	for _, p := range []admission.Contained{{}, {Share: .6, Action: admission.Reject}, {Share: .3, MaxShare: 1}} {
		for i, scope := range []string{"", "tenant"} {
			if testing.Short() && (p.Action == "") != (i == 0) {
				continue // half of them
			}
			x := quoted(t, least, true)
			setPolicy(t, x, admission.Policy{Contained: &p, Scope: scope})
			type doc struct {
				*inRuns
				tenant string
			}
			there := map[string]doc{}
			expect := func(id string, d doc) admission.Verdict {
				v := admission.Verdict{ID: id, Action: admission.Accept}
				for other, o := range there {
					if other == id || scope != "" && o.tenant != d.tenant {
						continue
					}
					s := d.standing(o.inRuns)
					if s > 0 && s >= p.Least() && (s > v.Share || s == v.Share && other < v.Of) {
						v = admission.Verdict{ID: id, Action: admission.Tag, Policy: admission.ByContained, Of: other, Share: s, Verified: true}
						if p.Action != "" {
							v.Action = p.Action
						}
					}
				}
				if v.Policy != "" {
					acted++
				}
				if v.Action != admission.Reject {
					there[id] = d
				}
				return v
			}
			for n := 0; n < len(all); {
				batch, size := x.NewBatch(), 1+rnd.IntN(12)
				var want []admission.Verdict
				for range min(size, len(all)-n) {
					id := fmt.Sprintf("d%03d", n)
					if size == 1 && n > 0 && rnd.IntN(2) == 0 {
						id = fmt.Sprintf("d%03d", rnd.IntN(n)) // one that is there, or was rejected
					}
					d := doc{byRuns[n], []string{"", "a", "b"}[rnd.IntN(3)]}
					if err := batch.Index(id, map[string]any{"body": all[n], "tenant": d.tenant}); err != nil {
						t.Fatal(err)
					}
					want = append(want, expect(id, d))
					n++
				}
				got, err := plugin.SubmitBatch(t.Context(), x, batch)
				if err != nil || !slices.EqualFunc(got, want, func(a, b admission.Verdict) bool { return a.String() == b.String() && a.Share == b.Share }) {
					t.Fatalf("%+v, %q: got %v, %v\nwant %v", p, scope, got, err, want)
				}
				if n%40 == 0 {
					gone := fmt.Sprintf("d%03d", rnd.IntN(n))
					delete(there, gone)
					if err := x.Delete(gone); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	if acted < len(all)/2 {
		t.Errorf("%d documents stand in others: this test shows little", acted)
	}
}

// What more than 500 documents of a batch hold is not followed in it either, unless there is no guard.
func TestContainedGuard(t *testing.T) {
	t.Parallel()
	footer := ""
	for i := range 20 {
		footer += fmt.Sprint(" footer", i)
	}
	for _, maxShare := range []float64{0, 1} {
		x := quoted(t, 20, true)
		setPolicy(t, x, admission.Policy{Contained: &admission.Contained{Share: .5, MaxShare: maxShare}})
		b := x.NewBatch()
		for i := range 510 {
			if err := b.Index(fmt.Sprintf("d%03d", i), map[string]any{"body": fmt.Sprint("own", i, footer)}); err != nil {
				t.Fatal(err)
			}
		}
		verdicts, err := plugin.SubmitBatch(t.Context(), x, b)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range verdicts {
			want := ""
			if i > 0 && (i <= 500 || maxShare == 1) {
				want = "d000"
			}
			if v.Of != want {
				t.Errorf("max_share %v: got %+v, want %q", maxShare, v, want)
			}
		}
	}
}

// Eight writers send one text and excerpts of it, alone and in batches, with other documents between: of each one gets in at
// most, and none once the text is in.
func TestContainedAtOnce(t *testing.T) {
	t.Parallel()
	x := quoted(t, 20, true)
	setPolicy(t, x, admission.Policy{Contained: &admission.Contained{Action: admission.Reject}})
	words := func(seed, n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprintf("s%dw%d", seed, i))
		}
		return all
	}
	whole := words(0, 200)
	var all sync.WaitGroup
	var mu sync.Mutex
	in := map[string]int{}
	for w := range 8 {
		all.Go(func() {
			for round := range 5 {
				b := x.NewBatch()
				for kind, text := range map[string][]string{
					"whole": whole, "begin": whole[:60], "end": whole[120:], "other": words(1+w*5+round, 60),
				} {
					if err := b.Index(fmt.Sprint(kind, " ", w, round), map[string]any{"body": strings.Join(text, " ")}); err != nil {
						t.Error(err)
					}
				}
				verdicts, err := plugin.SubmitBatch(context.Background(), x, b)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				for _, v := range verdicts {
					if kind, _, _ := strings.Cut(v.ID, " "); v.Action == admission.Accept {
						in[kind]++
					}
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if in["whole"] != 1 || in["other"] != 40 || in["begin"] > 1 || in["end"] > 1 {
		t.Errorf("got in: %v", in)
	}
	if n, err := x.DocCount(); err != nil || int(n) != in["whole"]+in["other"]+in["begin"]+in["end"] {
		t.Errorf("got %d documents, %v: %v", n, err, in)
	}
}

// Where texts are not stored, shares are estimates. A verdict is a line, and JSON; the tag can be searched for; shadow
// tags. A policy needs a field with passages, and right figures.
func TestContainedVerdict(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(33, 34))
	whole := strings.Fields(words(rnd, 1) + " " + words(rnd, 2))
	for _, stored := range []bool{true, false} {
		x := quoted(t, 20, stored)
		setPolicy(t, x, admission.Policy{Shadow: true, Contained: &admission.Contained{Share: .5, Action: admission.Reject}})
		for id, tt := range map[string]struct{ text, want string }{
			"a": {strings.Join(whole, " "), `document "a": accept`},
			"b": {strings.Join(whole[10:60], " "), `document "b": tag (contained), would be reject, stands whole in "a", as their texts confirm`},
		} {
			if !stored {
				tt.want = strings.TrimSuffix(tt.want, ", as their texts confirm")
			}
			if id == "b" {
				if _, err := plugin.Submit(t.Context(), x, "a", map[string]any{"body": strings.Join(whole, " ")}); err != nil {
					t.Fatal(err)
				}
			}
			v, err := plugin.Submit(t.Context(), x, id, map[string]any{"body": tt.text})
			if err != nil || v.String() != tt.want {
				t.Errorf("got %s, %v, want %s", v, err, tt.want)
			}
		}
		found, err := x.Search(bleve.NewSearchRequest(bleve.NewQueryStringQuery(admission.TagField + ":contained +" + admission.OfField + ":a")))
		if err != nil || found.Total != 1 || found.Hits[0].ID != "b" {
			t.Errorf("got %v, %v", found, err)
		}
	}
	v := admission.Verdict{ID: "b", Action: admission.Tag, Policy: admission.ByContained, Of: "a", Share: .75, Verified: true}
	if got, want := v.String(), `document "b": tag (contained), 75 % of it stand in "a", as their texts confirm`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, err := v.MarshalJSON(); string(got) != `{"id":"b","action":"tag","policy":"contained","verified":true,"share":0.75,"of":"a"}` || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	for text, want := range map[string]string{
		`{"contained":{"share":2}}`:          "admission: contained: share: wanted a number above 0 and up to 1, or 0 for 1, got 2",
		`{"contained":{"max_share":-1}}`:     "admission: contained: max_share: wanted 0 to 1, got -1",
		`{"contained":{"action":"replace"}}`: `admission: contained: action: wanted ["accept" "tag" "reject"], got "replace"`,
		`{"contained":{"words":2}}`:          `words`,
	} {
		if _, err := admission.ParsePolicy([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	p, err := admission.ParsePolicy([]byte(`{"contained":{"share":0.9,"action":"reject"}}`))
	if err != nil || *p.Contained != (admission.Contained{Share: .9, Action: admission.Reject}) {
		t.Errorf("got %+v, %v", p, err)
	}
	if err := plugin.SetPolicy(t.Context(), newIndex(t, ""), p); err == nil || !strings.Contains(err.Error(), `wanted an analyzer of field "neardup" with the option "passages", got one without`) {
		t.Errorf("got %v", err)
	}
}
