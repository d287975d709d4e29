package admission_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// link returns the n-th text of a chain: each is a near-duplicate of the next, and of no other, and longer than the one before.
func link(t testing.TB, n int) string {
	text := func(n int) string {
		var all []string
		for i := range 80 {
			all = append(all, fmt.Sprint("w18x", i))
		}
		for i := range n {
			all[i*9] = fmt.Sprint("edited", i)
		}
		return strings.Join(append(all, slices.Repeat([]string{"on"}, n)...), " ")
	}
	own := signature.Of(signature.DefaultParams(), []byte(text(n)))
	for i := range 4 {
		other := signature.Of(signature.DefaultParams(), []byte(text(i)))
		if is := (signature.Rule{}).Duplicates(&own, &other); is != (max(i-n, n-i) < 2) {
			t.Fatalf("texts %d and %d: near-duplicates: %v", n, i, is)
		}
	}
	return text(n)
}

// submitAll submits documents as one batch and returns the verdicts in the order of the ids.
func submitAll(t testing.TB, x bleve.Index, texts map[string]string) []admission.Verdict {
	t.Helper()
	b := x.NewBatch()
	for id, text := range texts {
		if err := b.Index(id, map[string]any{"body": text}); err != nil {
			t.Fatal(err)
		}
	}
	verdicts, err := plugin.SubmitBatch(context.Background(), x, b)
	if err != nil {
		t.Fatal(err)
	}
	return verdicts
}

// bodies are the texts of all documents.
func bodies(t testing.TB, x bleve.Index) map[string]string {
	t.Helper()
	r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 1000, 0, false)
	r.Fields = []string{"body"}
	res, err := x.Search(r)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, hit := range res.Hits {
		all[hit.ID], _ = hit.Fields["body"].(string)
	}
	return all
}

// Of a batch no document is replaced for the sake of one that is not written: x is near a, a near b, and b, the best, is not near x.
func TestChainInBatch(t *testing.T) {
	t.Parallel()
	for name, policy := range map[string]admission.Policy{
		"newest":    {Near: admission.Replace},
		"longest":   {Near: admission.Replace, Prefer: []admission.Preference{{Keep: admission.Longest}}},
		"preferred": {Near: admission.Replace, Prefer: []admission.Preference{{Keep: admission.Longest}}},
		"one":       {Near: admission.Replace, MaxReplaced: 1},
	} {
		x := newIndex(t, "")
		setPolicy(t, x, policy)
		submitAll(t, x, map[string]string{"x": link(t, 0)})
		verdicts := submitAll(t, x, map[string]string{"a": link(t, 1), "b": link(t, 2)})
		if a := verdicts[0]; a.Action != admission.Reject || a.Of != "b" || a.Replaced != nil {
			t.Errorf("%s: a: got %v", name, a)
		}
		if b := verdicts[1]; b.Action != admission.Accept || b.Of != "" || b.Replaced != nil {
			t.Errorf("%s: b: got %v", name, b)
		}
		if got := bodies(t, x); len(got) != 2 || got["x"] != link(t, 0) || got["b"] != link(t, 2) {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

// MaxReplaced holds for a whole batch of a chain: one document deletes no more for being near one that is.
func TestMaxReplacedOfChain(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	old := map[string]string{}
	for i := range 3 {
		old[fmt.Sprint("u", i)], old[fmt.Sprint("x", i)] = link(t, 0), link(t, 3)
	}
	submitAll(t, x, old)
	setPolicy(t, x, admission.Policy{Near: admission.Replace, MaxReplaced: 3})
	verdicts := submitAll(t, x, map[string]string{"a": link(t, 1), "b": link(t, 2)})
	if b := verdicts[1]; b.Action != admission.Replace || !slices.Equal(b.Replaced, []string{"x0", "x1", "x2"}) {
		t.Errorf("got %v, replaced %q", b, b.Replaced)
	}
	if a := verdicts[0]; a.Action != admission.Reject || a.Capped != 3 { // it would have replaced b, too
		t.Errorf("got %v", a)
	}
	if got := bodies(t, x); len(got) != 4 || got["u0"] == "" || got["b"] == "" {
		t.Errorf("got %q", got)
	}
}

// What is in the index under the id of an update that is rejected stays, and is not told to be replaced.
func TestReplacedUpdateInBatch(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 1))
	old, next := words(rnd, 1), words(rnd, 2)
	for keep, prefer := range map[string][]admission.Preference{"newest": nil, "longest": {{Keep: admission.Longest}}} {
		x := newIndex(t, "")
		setPolicy(t, x, admission.Policy{Near: admission.Replace, Prefer: prefer})
		submitAll(t, x, map[string]string{"a": old})
		verdicts := submitAll(t, x, map[string]string{"a": next, "b": next + " more"})
		if v := verdicts[1]; v.Action != admission.Accept || v.Replaced != nil {
			t.Errorf("%s: got %v, replaced %q", keep, v, v.Replaced)
		}
		if got := bodies(t, x); len(got) != 2 || got["a"] != old {
			t.Errorf("%s: got %q", keep, got)
		}
		// Where that is a near-duplicate of another of the batch, it is replaced.
		verdicts = submitAll(t, x, map[string]string{"a": next, "b": next + " more more", "c": old + " more"})
		if v := verdicts[2]; v.Action != admission.Replace || !slices.Equal(v.Replaced, []string{"a"}) {
			t.Errorf("%s: got %v, replaced %q", keep, v, v.Replaced)
		}
		if got := bodies(t, x); len(got) != 2 || got["a"] != "" {
			t.Errorf("%s: got %q", keep, got)
		}
	}
}

// An update is rejected at first, so its old place counts, and is replaced; then what it was like is rejected, and it is
// written. Nobody says that it was replaced.
func TestUpdateAfterAll(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	other := words(rand.New(rand.NewPCG(1, 1)), 1)
	submitAll(t, x, map[string]string{"m": other + " more", "n": link(t, 3)})
	setPolicy(t, x, admission.Policy{Near: admission.Replace, Prefer: []admission.Preference{{Keep: admission.Longest}}})
	verdicts := submitAll(t, x, map[string]string{"b": other + " more more", "m": link(t, 1), "n": other, "w": link(t, 2)})
	for i, want := range []admission.Action{admission.Replace, admission.Accept, admission.Reject, admission.Reject} {
		if v := verdicts[i]; v.Action != want || len(v.Replaced) > 0 {
			t.Errorf("got %v, replaced %q, want %s", v, v.Replaced, want)
		}
	}
	if got := bodies(t, x); len(got) != 3 || got["m"] != link(t, 1) || got["n"] != link(t, 3) || got["b"] == "" {
		t.Errorf("got %q", got)
	}
}

// Random batches of chains, by what must be so whatever the order: what is gone is named once, by a document that was written and that it is
// near; what is named is gone; nobody replaces more than is allowed; and a document is rejected for one that is there.
func TestReplacedAreGone(t *testing.T) {
	t.Parallel()
	chain := make([]string, 4)
	for i := range chain {
		chain[i] = link(t, i)
	}
	gone, rejected := 0, 0
	for k, policy := range []admission.Policy{
		{Near: admission.Replace},
		{Near: admission.Replace, Time: "sent", MaxReplaced: 2},
		{Near: admission.Replace, Prefer: []admission.Preference{{Keep: admission.Longest}}},
		{Near: admission.Replace, Prefer: []admission.Preference{{Keep: admission.Longest}}, MaxReplaced: 1},
		{Near: admission.Replace, Time: "sent", Prefer: []admission.Preference{{Field: "tenant"}, {Keep: admission.Oldest}}},
	} {
		x := newIndex(t, "")
		setPolicy(t, x, policy)
		rnd := rand.New(rand.NewPCG(3, uint64(k)))
		for range 80 {
			b, texts := x.NewBatch(), map[string]string{}
			for _, i := range rnd.Perm(8)[:1+rnd.IntN(4)] {
				id, text := fmt.Sprint("d", i), chain[rnd.IntN(4)]
				p := page{id, text, fmt.Sprint(rnd.IntN(2)), time.Date(2026, 1, 1, rnd.IntN(5), 0, 0, 0, time.UTC)}
				if err := b.Index(id, p.data()); err != nil {
					t.Fatal(err)
				}
				texts[id] = text
			}
			before := bodies(t, x)
			verdicts, err := plugin.SubmitBatch(context.Background(), x, b)
			if err != nil {
				t.Fatal(err)
			}
			after, named := bodies(t, x), map[string]string{}
			for _, v := range verdicts {
				if _, there := after[v.ID]; there != (v.Action != admission.Reject) && before[v.ID] == "" {
					t.Fatalf("%v: it is there: %v", v, there)
				}
				for _, id := range v.Replaced {
					if named[id] != "" || after[id] != "" || !duplicates(before[id], texts[v.ID]) || v.Action != admission.Replace {
						t.Fatalf("%v: replaced %q, and %q was named by %q, and is %q", v, v.Replaced, id, named[id], after[id])
					}
					named[id] = v.ID
				}
				if most := policy.MaxReplaced; most > 0 && len(v.Replaced) > most {
					t.Fatalf("%v: replaced %q", v, v.Replaced)
				}
				if v.Action == admission.Reject {
					// An update that is rejected at first, and then written after all, counts as it was.
					if rejected++; !duplicates(texts[v.ID], after[v.Of]) && (after[v.Of] != texts[v.Of] || !duplicates(texts[v.ID], before[v.Of])) {
						t.Fatalf("%v, of %q: not there, or not near", v, after[v.Of])
					}
				}
			}
			for id := range before {
				if after[id] == "" {
					if gone++; named[id] == "" {
						t.Fatalf("%q is gone, and no verdict says so: %v", id, verdicts)
					}
				}
			}
		}
	}
	if gone < 50 || rejected < 50 {
		t.Errorf("%d replaced, %d rejected: this test shows little", gone, rejected)
	}
}

func duplicates(a, b string) bool {
	one, two := signature.Of(signature.DefaultParams(), []byte(a)), signature.Of(signature.DefaultParams(), []byte(b))
	return signature.Rule{}.Duplicates(&one, &two)
}
