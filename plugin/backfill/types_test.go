package backfill_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/datetime/flexible"
	"github.com/blevesearch/bleve/v2/analysis/datetime/timestamp/milliseconds"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/backfill"
)

// allTypes maps a property of each type, one of several fields of other names, and one
// below another.
func allTypes(t *testing.T) *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	if err := m.AddCustomDateTimeParser("days", map[string]any{"type": flexible.Name, "layouts": []any{"02.01.2006"}}); err != nil {
		t.Fatal(err)
	}
	day, ms := bleve.NewDateTimeFieldMapping(), bleve.NewDateTimeFieldMapping()
	day.DateFormat, ms.DateFormat = "days", milliseconds.Name
	keyword := bleve.NewKeywordFieldMapping()
	keyword.Name = "exact"
	page := bleve.NewDocumentMapping()
	page.AddFieldMappingsAt("title", bleve.NewTextFieldMapping(), keyword)
	dm := m.DefaultMapping
	dm.AddSubDocumentMapping("page", page)
	dm.AddFieldMappingsAt("day", day)
	dm.AddFieldMappingsAt("ms", ms)
	dm.AddFieldMappingsAt("sent", bleve.NewDateTimeFieldMapping())
	dm.AddFieldMappingsAt("number", bleve.NewNumericFieldMapping())
	dm.AddFieldMappingsAt("flag", bleve.NewBooleanFieldMapping())
	dm.AddFieldMappingsAt("ip", bleve.NewIPFieldMapping())
	return m
}

// someDocument has random properties in random forms.
func someDocument(rnd *rand.Rand) map[string]any {
	d := map[string]any{}
	has := func() bool { return rnd.IntN(3) > 0 }
	text := func() string { return fmt.Sprint("some words ", rnd.IntN(50)) }
	when := time.Unix(rnd.Int64N(2e9), rnd.Int64N(2)*rnd.Int64N(1e9)).UTC()
	makers := map[string]func() any{
		"body": func() any { return text() },
		"tags": func() any { return []any{text(), nil, []string{"x", text()}, 7, true} },
		"page": func() any {
			return map[string]any{"title": text(), "deep": map[string]any{"a": 1}}
		},
		"pages": func() any {
			return []any{map[string]any{"n": 1, "t": text()}, map[string]any{"t": []string{text(), "b"}}}
		},
		"number": func() any { return []any{rnd.NormFloat64(), rnd.IntN(9), []any{-1}} },
		"flag":   func() any { return rnd.IntN(2) == 0 },
		"ip":     func() any { return []any{"10.0.0.1", net.IPv6loopback, "no address"}[rnd.IntN(3)] },
		"sent": func() any {
			return []any{when, when.Format(time.RFC3339), when.Format(time.RFC3339Nano), "2021-03-04"}[rnd.IntN(4)]
		},
		"day":    func() any { return when.Format("02.01.2006") },
		"ms":     func() any { return fmt.Sprint(when.UnixMilli()) },
		"anyday": func() any { return []any{"2020-05-06", "2020-05-06 07:08:09", text()}[rnd.IntN(3)] },
	}
	for _, name := range slices.Sorted(maps.Keys(makers)) {
		if has() {
			d[name] = makers[name]()
		}
	}
	return d
}

// Documents of all types of fields and all forms of values come out as if they had been
// indexed anew.
func TestTypes(t *testing.T) {
	t.Parallel()
	docs := map[string]any{}
	rnd := rand.New(rand.NewPCG(3, 4))
	for i := range 100 {
		docs[fmt.Sprint("doc ", i)] = someDocument(rnd)
	}
	from := plain(t, "", allTypes(t))
	fill(t, from, docs)
	m := allTypes(t)
	plugin.AddSignature(m.DefaultMapping, "body")
	fresh, to := signed(t, "", m), signed(t, "", m)
	fill(t, fresh, docs)
	run(t, from, to, backfill.Options{})
	hold(t, to, fresh)
	queries := []string{"words", "body:words tags:x", "page.title:words", "number:>0", `sent:>"2000-01-01T00:00:00Z"`, "page.exact:some*"}
	want := pages(t, fresh, queries)
	for i, got := range pages(t, to, queries) {
		if got != want[i] {
			t.Errorf("%s: got\n%.500s\nwant\n%.500s", queries[i], got, want[i])
		}
	}
}

// Two properties can have one path. That cannot be rebuilt, and is an error before anything is written.
func TestTwoAtOnePlace(t *testing.T) {
	t.Parallel()
	docs := map[string]any{"a": map[string]any{"dot": map[string]any{"ted": "one"}, "dot.ted": "two", "body": "x"}}
	from, to := plain(t, "", bleve.NewIndexMapping()), signed(t, "", bodyMapping())
	fill(t, from, docs)
	_, err := backfill.Run(t.Context(), from, to, backfill.Options{})
	if n, _ := to.DocCount(); err == nil || n > 0 || !strings.Contains(err.Error(), `document "a": wanted to rebuild the stored value dot.ted`) {
		t.Errorf("got %v, and %d documents", err, n)
	}
	if s := run(t, from, to, backfill.Options{Lossy: true}); s.Done != 1 {
		t.Errorf("lossy: got %+v", s)
	}
}

// The type of a document is a property like others, as long as it is stored.
func TestDocumentTypes(t *testing.T) {
	t.Parallel()
	typed := func() *mapping.IndexMappingImpl {
		m := bleve.NewIndexMapping()
		for typ, property := range map[string]string{"mail": "subject", "page": "title"} {
			dm := bleve.NewDocumentMapping()
			f := bleve.NewTextFieldMapping()
			f.Name = "head"
			dm.AddFieldMappingsAt(property, f)
			m.AddDocumentMapping(typ, dm)
		}
		return m
	}
	docs := map[string]any{
		"a": map[string]any{"_type": "mail", "subject": "hello", "body": "x"},
		"b": map[string]any{"_type": "page", "title": "hello", "body": "y"},
		"c": map[string]any{"_type": "other", "head": "z"},
	}
	from := plain(t, "", typed())
	fill(t, from, docs)
	m := typed()
	for _, dm := range m.TypeMapping {
		plugin.AddSignature(dm, "body")
	}
	fresh, to := signed(t, "", m), signed(t, "", m)
	fill(t, fresh, docs)
	run(t, from, to, backfill.Options{})
	hold(t, to, fresh)

	fill(t, from, map[string]any{"d": map[string]any{"body": "of no type"}})
	to = signed(t, "", m)
	if _, err := backfill.Run(context.Background(), from, to, backfill.Options{}); err == nil || !strings.Contains(err.Error(), `document "d": wanted the stored field "_type"`) {
		t.Errorf("got %v", err)
	}
	if s := run(t, from, to, backfill.Options{Lossy: true}); s.Done != 4 {
		t.Errorf("got %+v", s)
	}
}

// What cannot be rebuilt is named.
func TestUnstored(t *testing.T) {
	t.Parallel()
	unstored, other := bleve.NewTextFieldMapping(), bleve.NewNumericFieldMapping()
	unstored.Store, other.Store = false, false
	both := bleve.NewTextFieldMapping()
	both.Name = "both"
	for want, tt := range map[string]struct {
		m    func(dm *mapping.DocumentMapping)
		data map[string]any
	}{
		`["body"]`: {func(dm *mapping.DocumentMapping) { dm.AddFieldMappingsAt("body", unstored) }, map[string]any{"body": "x"}},
		`["page.size"]`: {func(dm *mapping.DocumentMapping) {
			p := bleve.NewDocumentMapping()
			p.AddFieldMappingsAt("size", other)
			dm.AddSubDocumentMapping("page", p)
		}, map[string]any{"page": map[string]any{"size": 1}}},
		`["where"]`: {func(dm *mapping.DocumentMapping) { dm.AddFieldMappingsAt("where", bleve.NewGeoPointFieldMapping()) }, map[string]any{"where": []float64{1, 2}}},
		`["both"]`:  {func(dm *mapping.DocumentMapping) { dm.AddFieldMappingsAt("a", both); dm.AddFieldMappingsAt("b", both) }, map[string]any{"a": "x", "b": "y"}},
		"": {func(dm *mapping.DocumentMapping) { // stored by another name, and not there at all
			dm.AddFieldMappingsAt("body", unstored, both)
			dm.AddFieldMappingsAt("size", other)
		}, map[string]any{"body": "x"}},
		"nested": {func(dm *mapping.DocumentMapping) { dm.AddSubDocumentMapping("n", bleve.NewNestedDocumentMapping()) }, map[string]any{"n": []any{map[string]any{"a": "x"}}, "body": "x"}},
	} {
		m := bleve.NewIndexMapping()
		tt.m(m.DefaultMapping)
		from, to := plain(t, "", m), signed(t, "", bodyMapping())
		fill(t, from, map[string]any{"1": tt.data})
		_, err := backfill.Run(context.Background(), from, to, backfill.Options{})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("wanted %q, got %v", want, err)
		}
		if n, _ := to.DocCount(); want != "" && n != 0 {
			t.Errorf("%s: %d documents were written", want, n)
		}
		source := func(_ context.Context, id string) (any, error) { return tt.data, nil }
		to = signed(t, "", bodyMapping())
		if s := run(t, from, to, backfill.Options{Source: source}); s.Done != 1 {
			t.Errorf("%s: with a source got %+v", want, s)
		}
	}
}
