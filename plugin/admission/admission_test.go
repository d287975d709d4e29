package admission_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
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

func TestMarkErrors(t *testing.T) {
	t.Parallel()
	x := newIndex(t, "")
	const text = "a text of more than one word"
	for want, err := range map[string]error{
		`wanted a document of the index, got "nothing"`: typed(x).MarkDocument(t.Context(), "m", admission.Spam, "nothing"),
		`wanted "spam" or "wanted", got "ham"`:          typed(x).MarkText(t.Context(), "m", "ham", text),
		`wanted a name, got none`:                       typed(x).MarkText(t.Context(), "", admission.Spam, text),
		`wanted a text of one token or more, got none`:  typed(x).MarkText(t.Context(), "m", admission.Spam, "..."),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("wanted an error with %s, got %v", want, err)
		}
	}
}

// Queries and facets of bleve see tags, and free text does not.
func TestTags(t *testing.T) {
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
