package admission_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

func submit(t testing.TB, x bleve.Index, p page) admission.Verdict {
	t.Helper()
	v, err := plugin.Submit(context.Background(), x, p.id, p.data())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func setPolicy(t testing.TB, x bleve.Index, p admission.Policy) {
	t.Helper()
	if err := plugin.SetPolicy(context.Background(), x, &p); err != nil {
		t.Fatal(err)
	}
}

// sign gives a mark the signature of a text.
func sign(t testing.TB, x bleve.Index, m *admission.Mark, text string) {
	t.Helper()
	var err error
	if m.Signature, err = plugin.Sign(x, plugin.Field, text); err != nil {
		t.Fatal(err)
	}
}

// Eight writers send one campaign, alone and in batches, with other documents between:
// exactly the allowed number gets in.
func TestWritersAtOnce(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		policy admission.Policy
		want   int
	}{
		"near":  {admission.Policy{Near: admission.Reject}, 1},
		"flood": {admission.Policy{Time: "sent", Floods: []admission.Flood{{Copies: 3, Window: time.Hour}}}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newIndex(t, filepath.Join(t.TempDir(), "x"))
			setPolicy(t, x, tt.policy)
			var all sync.WaitGroup
			for w := range 8 {
				all.Go(func() {
					rnd := rand.New(rand.NewPCG(1, uint64(w)))
					for round := range 5 {
						b := x.NewBatch()
						for family := range 2 {
							p := page{fmt.Sprint("spam", w, "-", round, "-", family), words(rand.New(rand.NewPCG(0, 0)), family), "", now}
							if err := b.Index(p.id, p.data()); err != nil {
								t.Error(err)
							}
						}
						other := page{fmt.Sprint("ham", w, "-", round), words(rnd, 100+w*5+round), "", now}
						if err := b.Index(other.id, other.data()); err != nil {
							t.Error(err)
						}
						if _, err := plugin.SubmitBatch(context.Background(), x, b); err != nil {
							t.Error(err)
						}
					}
				})
			}
			all.Wait()
			for prefix, want := range map[string]int{"spam": 2 * tt.want, "ham": 40} {
				res, err := x.Search(bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 1000, 0, false))
				if err != nil {
					t.Fatal(err)
				}
				got := 0
				for _, hit := range res.Hits {
					if strings.HasPrefix(hit.ID, prefix) {
						got++
					}
				}
				if got != want {
					t.Errorf("%d of %s are in, want %d", got, prefix, want)
				}
			}
		})
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	x := newIndex(t, path)
	setPolicy(t, x, admission.Policy{Known: admission.Reject, Scope: "tenant"})
	rnd := rand.New(rand.NewPCG(1, 1))
	spam, ad, mine := words(rnd, 1), words(rnd, 2), words(rnd, 3)
	body := func(id, tenant, text string) page { return page{id, text, tenant, time.Now()} }
	submit(t, x, body("original", "a", spam))
	check := func(name string, p page, want admission.Action, mark string) {
		t.Helper()
		if v := submit(t, x, p); v.Action != want || v.Mark != mark {
			t.Errorf("%s: got %v, want %s by %q", name, v, want, mark)
		}
	}
	if err := typed(x).MarkDocument(context.Background(), "pills", admission.Spam, "original"); err != nil {
		t.Fatal(err)
	}
	if err := x.Delete("original"); err != nil {
		t.Fatal(err)
	}
	for _, m := range []admission.Mark{
		{Name: "ads", Label: admission.Spam, Scope: []string{"a"}},
		{Name: "old", Label: admission.Spam, Expires: time.Now().Add(-time.Hour)},
	} {
		text := ad
		if m.Name == "old" {
			text = mine
		}
		sign(t, x, &m, text)
		if err := typed(x).SetMark(context.Background(), m); err != nil {
			t.Fatal(err)
		}
	}
	check("known by a document that is gone", body("1", "b", spam+" more"), admission.Reject, "pills")
	check("known in this scope", body("2", "a", ad), admission.Reject, "ads")
	check("known in another", body("3", "b", ad), admission.Accept, "")
	check("in none", body("4", "", ad), admission.Accept, "")
	check("a mark that has ended", body("5", "a", mine), admission.Accept, "")
	if err := typed(x).MarkText(context.Background(), "newsletter", admission.Wanted, spam); err != nil {
		t.Fatal(err)
	}
	check("wanted too", body("6", "b", spam), admission.Accept, "newsletter")
	if err := typed(x).Unmark(context.Background(), "newsletter"); err != nil {
		t.Fatal(err)
	}
	check("not any more", body("7", "b", spam), admission.Reject, "pills")

	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	var err error
	if x, err = plugin.Open(path); err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	setPolicy(t, x, admission.Policy{Known: admission.Tag, Scope: "tenant"})
	check("after opening again", body("8", "b", spam), admission.Tag, "pills")
	marks, err := typed(x).Marks()
	if err != nil || len(marks) != 3 || marks[0].Name != "ads" || marks[0].Scope[0] != "a" {
		t.Errorf("got %v, %v", marks, err)
	}
	for name, err := range map[string]error{
		`wanted a document of the index, got "nothing"`: typed(x).MarkDocument(context.Background(), "m", admission.Spam, "nothing"),
		`wanted "spam" or "wanted", got "ham"`:          typed(x).MarkText(context.Background(), "m", "ham", spam),
		`wanted a name, got none`:                       typed(x).MarkText(context.Background(), "", admission.Spam, spam),
		`wanted a text of one token or more, got none`:  typed(x).MarkText(context.Background(), "m", admission.Spam, "..."),
	} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("wanted an error with %s, got %v", name, err)
		}
	}
}

// A policy in shadow rejects nothing, and tells what it would.
func TestShadow(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	setPolicy(t, x, admission.Policy{Near: admission.Reject, Shadow: true})
	text := words(rand.New(rand.NewPCG(1, 1)), 1)
	now := time.Now()
	submit(t, x, page{"a", text, "", now})
	for _, id := range []string{"b", "c"} {
		if v := submit(t, x, page{id, text, "", now}); v.Action != admission.Tag || v.Would != admission.Reject || v.Of != "a" {
			t.Errorf("got %v", v)
		}
	}
	if m := x.StatsMap()["index"].(map[string]any); m["neardup_tagged"] != uint64(2) || m["neardup_shadowed"] != uint64(2) || m["neardup_judged"] != uint64(3) {
		t.Errorf("got %v", m)
	}
	// Bleve's queries and facets see the tags, and free text does not.
	of := bleve.NewTermQuery("a")
	of.SetField(admission.OfField)
	r := bleve.NewSearchRequest(of)
	r.AddFacet("by", bleve.NewFacetRequest(admission.TagField, 3))
	res, err := x.Search(r)
	if err != nil || res.Total != 2 || res.Facets["by"].Total != 2 {
		t.Errorf("got %v, %v", res, err)
	}
	for _, word := range []string{"near", "a"} {
		if res, err := x.Search(bleve.NewSearchRequest(bleve.NewMatchQuery(word))); err != nil || res.Total != 0 {
			t.Errorf("%s: got %v, %v", word, res, err)
		}
	}
}

// What is in one scope cannot be found out from another.
func TestScopes(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	for _, policy := range []admission.Policy{
		{Scope: "tenant", Near: admission.Reject},
		{Scope: "tenant", Near: admission.Tag},
		{Scope: "tenant", Near: admission.Replace},
		{Scope: "tenant", Floods: []admission.Flood{{Copies: 1, Window: time.Hour}}},
	} {
		setPolicy(t, x, policy)
		text := words(rand.New(rand.NewPCG(1, 1)), 1)
		now := time.Now()
		for i, tenant := range []string{"", "a", "b"} {
			p := page{fmt.Sprint("x", i), text, tenant, now}
			if v := submit(t, x, p); v.Action != admission.Accept || v.Of != "" || v.Copies != 0 {
				t.Errorf("%+v: %v", policy, v)
			}
		}
		p := page{"again", text, "b", now}
		if v := submit(t, x, p); v.Action == admission.Accept || v.Of != "x2" {
			t.Errorf("%+v: %v", policy, v)
		}
		b := x.NewBatch()
		for _, id := range []string{"x0", "x1", "x2", "again"} {
			b.Delete(id)
		}
		if err := x.Batch(b); err != nil {
			t.Fatal(err)
		}
	}
}

// By bleve's own calls a rejected document is an error that tells which, and the rest
// of its batch is written.
func TestRefused(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	if err := plugin.SetPolicy(context.Background(), x, &admission.Policy{Near: admission.Reject}); err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	text := words(rnd, 1)
	if err := x.Index("a", map[string]any{"body": text}); err != nil {
		t.Fatal(err)
	}
	if err := x.Index("a", map[string]any{"body": text + " again"}); err != nil {
		t.Errorf("an update is a duplicate of itself: %v", err)
	}
	var refused *admission.Rejected
	err := x.Index("b", map[string]any{"body": text})
	if !errors.As(err, &refused) || len(refused.Verdicts) != 1 || refused.Verdicts[0].Of != "a" || !strings.Contains(err.Error(), `document "b": reject (near), a near-duplicate of "a" (`) {
		t.Errorf("got %v", err)
	}
	b := x.NewBatch()
	b.Index("c", map[string]any{"body": text})
	b.Index("d", map[string]any{"body": words(rnd, 2)})
	b.Index("e", map[string]any{"body": words(rnd, 2)})
	b.Delete("none")
	if err := x.Batch(b); !errors.As(err, &refused) || len(refused.Verdicts) != 2 || !strings.HasSuffix(err.Error(), "; and 1 more rejected") {
		t.Errorf("got %v", err)
	}
	if n, _ := x.DocCount(); n != 2 {
		t.Errorf("%d documents, want a and d", n)
	}
	b = x.NewBatch()
	b.Delete("a")
	b.Index("f", map[string]any{"body": text})
	if err := x.Batch(b); err != nil {
		t.Errorf("what is deleted in the same batch does not free its place: %v", err)
	}
}

// typed is the index of type neardup inside x.
func typed(x bleve.Index) *indextype.Index {
	n, err := plugin.Of(x)
	if err != nil {
		panic(err)
	}
	return n
}
