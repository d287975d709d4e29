package collapse_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/plugin"
)

// signedMapping fingerprints the body.
func signedMapping() *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	return m
}

// without are indexes that have no signatures, as people come by them, by what is said of
// them.
func without(t *testing.T) map[string]bleve.Index {
	t.Helper()
	docs := map[string]string{"a": "the same words twice, as a copy has them", "b": "the same words twice, as a copy has them"}
	misspelled := bleve.NewIndexMapping()
	misspelled.DefaultMapping.AddFieldMappingsAt("body", &mapping.FieldMapping{Name: "signature", Type: "text", Analyzer: "neardup", Index: true})
	all := make(map[string]bleve.Index)
	add := func(want string, x bleve.Index, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for id, body := range docs {
			if err := x.Index(id, map[string]any{"body": body}); err != nil {
				t.Fatal(err)
			}
		}
		t.Cleanup(func() { x.Close() })
		all[want] = x
	}
	x, err := plugin.New("", misspelled)
	add(`wanted a fingerprinted field, one of ["signature"], got "neardup"`, x, err)
	x, err = bleve.NewUsing("", bleve.NewIndexMapping(), "neardup", bleve.Config.DefaultKVStore, nil)
	add(`field "neardup": wanted a mapping that fingerprints it, got one without signatures: backfill makes one of it`, x, err)
	x, err = bleve.New("", signedMapping())
	add(`wanted an index of type "neardup", got one without signatures: backfill makes one of it`, x, err)
	x, err = bleve.NewMemOnly(signedMapping())
	x.SetName("upside down")
	add(`index "upside down": wanted an index of type "neardup", got one without signatures: backfill`, x, err)

	path := filepath.Join(t.TempDir(), "built")
	b, err := bleve.NewBuilder(path, signedMapping(), map[string]any{"buildPathPrefix": t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for id, body := range docs {
		if err := b.Index(id, map[string]any{"body": body}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	x, err = bleve.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	all[`built": wanted an index of type "neardup", got one without signatures`] = x
	return all
}

// Nothing folds in an index without signatures, so that to collapse there is an error,
// whichever way it is asked for, unless it is allowed.
func TestSearchUnsigned(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	signed, err := plugin.New("", signedMapping())
	if err != nil {
		t.Fatal(err)
	}
	defer signed.Close()
	signed.SetName("signed")
	request := func() *bleve.SearchRequest { return bleve.NewSearchRequest(bleve.NewMatchAllQuery()) }
	const older = `whole: wanted an index of type "neardup" or "scorch"`
	for want, x := range without(t) {
		refused := func(err error) bool {
			return x.Name() == "upside down" && err != nil && strings.Contains(err.Error(), older)
		}
		wants := func(what string, err error) {
			t.Helper()
			if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), `missing "keep" searches it as it is`) {
				t.Errorf("%s: got error %v, want one with %s", what, err, want)
			}
		}
		for name, in := range map[string]bleve.Index{
			"alone": x, "alias of one": bleve.NewIndexAlias(x),
			"alias":            bleve.NewIndexAlias(signed, x),
			"alias of aliases": bleve.NewIndexAlias(signed, bleve.NewIndexAlias(signed, x)),
		} {
			for _, o := range []collapse.Options{{}, {Visible: 2}, {Visible: -1}, {Whole: name == "alone"}} {
				_, err := collapse.Search(ctx, in, request(), o)
				wants(name, err)
				o.Missing = collapse.KeepMissing
				if r, err := collapse.Search(ctx, in, request(), o); o.Whole && refused(err) {
					continue
				} else if err != nil || len(r.Hits) != 2 || r.Unsigned != 2 {
					t.Errorf("%s, allowed: got %+v, error %v", name, r, err)
				}
			}
			if r, err := (&serve.Request{SearchRequest: request()}).Search(ctx, in); err != nil || len(r.Hits) != 2 {
				t.Errorf("%s, plain: got %v, error %v", name, r, err)
			}
		}
		q := collapse.NewQuery(bleve.NewMatchAllQuery(), collapse.Options{})
		if _, err := x.Search(bleve.NewSearchRequest(q)); err == nil || !strings.Contains(err.Error(), want[strings.Index(want, ": ")+1:]) {
			t.Errorf("query: got error %v, want one with %s", err, want)
		}
		q = collapse.NewQuery(bleve.NewMatchAllQuery(), collapse.Options{Missing: collapse.KeepMissing})
		if r, err := x.Search(bleve.NewSearchRequest(q)); !refused(err) && (err != nil || len(r.Hits) != 2) {
			t.Errorf("query, allowed: got %v, error %v", r, err)
		}
		const all = `{"query":{"match_all":{}},"collapse":{`
		if code, answer := ask(&serve.Handler{Index: x}, "POST", all+`}}`); code != 400 || !strings.Contains(answer, `missing \"keep\" searches`) {
			t.Errorf("handler: got %d %s", code, answer)
		}
		if code, answer := ask(&serve.Handler{Index: x}, "POST", all+`"missing":"keep"}}`); code != 200 || !strings.Contains(answer, `"unsigned":2`) {
			t.Errorf("handler, allowed: got %d %s", code, answer)
		}
		// Of an index in another process nothing is known.
		if r, err := collapse.Search(ctx, distant{x}, request(), collapse.Options{}); err != nil || r.Unsigned != 2 {
			t.Errorf("a distant index: got %+v, error %v", r, err)
		}
	}
}

// distant is an index of which a process sees no more than searches.
type distant struct{ inner }

func (d distant) Mapping() mapping.IndexMapping { return nil }

// A field that is misspelled in the request is an error that names those that there are; where
// an alias alone has a mapping, by that.
func TestSearchMisspelled(t *testing.T) {
	t.Parallel()
	x, err := plugin.New("", signedMapping())
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	alias := bleve.NewIndexAlias(distant{x}, distant{x})
	r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
	if _, err := collapse.Search(context.Background(), alias, r, collapse.Options{Field: "nearudp"}); err != nil {
		t.Errorf("an alias without a mapping: got error %v", err)
	}
	if err := alias.SetIndexMapping(signedMapping()); err != nil {
		t.Fatal(err)
	}
	for _, in := range []bleve.Index{x, alias} {
		_, err = collapse.Search(context.Background(), in, r, collapse.Options{Field: "nearudp"})
		if err == nil || !strings.Contains(err.Error(), `wanted a fingerprinted field, one of ["neardup"], got "nearudp"`) {
			t.Errorf("got error %v", err)
		}
		for range 2 { // the second time the field is known
			if _, err := collapse.Search(context.Background(), in, r, collapse.Options{}); err != nil {
				t.Error(err)
			}
		}
	}
	if code, answer := ask(&serve.Handler{Index: x}, "POST", `{"query":{"match_all":{}},"collapse":{"field":"nearudp"}}`); code != 400 || !strings.Contains(answer, `nearudp`) {
		t.Errorf("handler: got %d %s", code, answer)
	}
}

// Members of an alias whose signatures were made with other seeds match nothing of each
// other; the status says so, with the number of hits.
func TestSearchSeeds(t *testing.T) {
	t.Parallel()
	seeded := func(name string, seed int, docs ...string) bleve.Index {
		m := bleve.NewIndexMapping()
		if err := m.AddCustomAnalyzer("own", map[string]any{"type": "neardup", "seed": seed}); err != nil {
			t.Fatal(err)
		}
		m.DefaultMapping.AddFieldMappingsAt("body", bleve.NewTextFieldMapping(), plugin.FieldMapping("own"))
		x, err := plugin.New("", m)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		x.SetName(name)
		for _, id := range docs {
			if err := x.Index(id, map[string]any{"body": "one text in all of these documents", "id": id}); err != nil {
				t.Fatal(err)
			}
		}
		return x
	}
	one, two, three := seeded("one", 1, "a", "b", "c"), seeded("two", 2, "d", "e"), seeded("three", 1, "f")
	r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
	r.SortBy([]string{"_id"})
	for name, alias := range map[string]bleve.Index{
		"alias": bleve.NewIndexAlias(one, two, three),
		"parts": bleve.NewIndexAlias(remotely(one), remotely(two), remotely(three)),
	} {
		res, err := collapse.Search(context.Background(), alias, r, collapse.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Hits) != 2 || res.Foreign != 2 || len(res.Status.Errors) != 0 || res.Status.Successful != 3 || res.TotalGroupsRelation != bleve.TotalRelationEq {
			t.Errorf("%s: got %d hits, %d foreign, %+v, %s", name, len(res.Hits), res.Foreign, res.Status, res.TotalGroupsRelation)
		}
		if res, err = collapse.Search(context.Background(), bleve.NewIndexAlias(one, three), r, collapse.Options{}); err != nil || res.Foreign != 0 || len(res.Hits) != 1 {
			t.Errorf("%s, the same seed: got %+v, error %v", name, res, err)
		}
	}
}
