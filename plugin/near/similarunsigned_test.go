package near_test

import (
	"context"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	_ "github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// An index without signatures, and a field that is not fingerprinted, are errors that say what
// to do, whatever is asked: not no near-duplicates.
func TestUnsigned(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	signed := opened(t, "", bodies())
	plain, err := bleve.New("", bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	mapped, err := bleve.New("", bodies())
	if err != nil {
		t.Fatal(err)
	}
	defer mapped.Close()
	const body = "a text of some words, which stands in each of the indexes, twice"
	for _, x := range []bleve.Index{signed, plain, mapped} {
		for _, id := range []string{"a", "b"} {
			if err := x.Index(id, map[string]any{"body": body}); err != nil {
				t.Fatal(err)
			}
		}
	}
	sig, err := plugin.Sign(signed, plugin.Field, body)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		x           bleve.Index
		field, want string
	}{
		{plain, "", "got one without signatures: backfill makes one of it"},
		{mapped, "", `wanted an index of type "neardup", got one without signatures: backfill makes one of it`},
		{signed, "nearudp", `wanted a fingerprinted field, one of ["neardup"], got "nearudp"`},
	} {
		for what, q := range map[string]near.SimilarQuery{
			"id": {ID: "a", Field: tt.field}, "text": {Text: []string{body}, Field: tt.field}, "signature": {Signature: sig, Field: tt.field},
		} {
			_, err := near.Similar(ctx, tt.x, near.SimilarRequest{Query: q})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: got error %v, want %s", what, err, tt.want)
			}
			if _, err = tt.x.Search(bleve.NewSearchRequest(&q)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("query by %s: got error %v, want %s", what, err, tt.want)
			}
		}
		for _, err := range near.Groups(ctx, tt.x, near.GroupsOptions{Field: tt.field}) {
			if err == nil || !strings.Contains(err.Error(), tt.want) && (tt.x == signed || !strings.Contains(err.Error(), "got one without signatures: backfill makes one of it")) {
				t.Errorf("near: got error %v, want %s", err, tt.want)
			}
		}
	}
	if err := signed.Index("none", map[string]any{"note": body}); err != nil {
		t.Fatal(err)
	}
	_, err = near.Similar(ctx, signed, near.SimilarRequest{Query: near.SimilarQuery{ID: "none"}})
	if err == nil || !strings.Contains(err.Error(), `id "none": wanted a document with a signature in the stored field "~neardup.sketch", got one without`) {
		t.Errorf("a document without: got error %v", err)
	}
}

// Members with other seeds than that which a text is signed with say so in the status.
func TestSeeds(t *testing.T) {
	t.Parallel()
	seeded := func(name string, seed int) bleve.Index {
		m := bleve.NewIndexMapping()
		if err := m.AddCustomAnalyzer("own", map[string]any{"type": "neardup", "seed": seed}); err != nil {
			t.Fatal(err)
		}
		m.DefaultMapping.AddFieldMappingsAt("body", plugin.FieldMapping("own"))
		x := opened(t, "", m)
		x.SetName(name)
		if err := x.Index(name, map[string]any{"body": "one text in all of the indexes"}); err != nil {
			t.Fatal(err)
		}
		return x
	}
	alias := bleve.NewIndexAlias(seeded("one", 1), seeded("two", 2))
	res, err := near.Similar(context.Background(), alias, near.SimilarRequest{Query: near.SimilarQuery{Text: []string{"one text in all of the indexes"}}})
	if err != nil || len(res.Hits) != 1 || res.TotalRelation != "gte" || res.Status.Failed != 1 ||
		!strings.Contains(res.Status.Errors["two"].Error(), "wanted one of the parameters of field") {
		t.Errorf("got %+v, error %v", res, err)
	}
}

// A text that the tokenizer makes no token of is an error, not one without near-duplicates.
func TestUntokenized(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	if err := m.AddCustomAnalyzer("words", map[string]any{"type": "neardup", "tokenizer": "unicode"}); err != nil {
		t.Fatal(err)
	}
	m.DefaultMapping.AddFieldMappingsAt("body", plugin.FieldMapping("words"))
	x := opened(t, "", m)
	q := near.SimilarQuery{Text: []string{"ภาษาไทย"}}
	const want = `field "neardup": wanted a text that its tokenizer, "unicode", makes tokens of, got one that it makes none of`
	if _, err := near.Similar(context.Background(), x, near.SimilarRequest{Query: q}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got error %v", err)
	}
	if _, err := x.Search(bleve.NewSearchRequest(&q)); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("query: got error %v", err)
	}
	if res, err := near.Similar(context.Background(), x, near.SimilarRequest{Query: near.SimilarQuery{Text: []string{"..."}}}); err != nil || res.Total != 0 {
		t.Errorf("no text: got %v, error %v", res, err)
	}
}
