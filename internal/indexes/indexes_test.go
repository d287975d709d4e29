package indexes_test

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/plugin"
)

// having is a mapping of so many fields, of which the last is fingerprinted.
func having(n int) *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	for i := range n {
		m.DefaultMapping.AddFieldMappingsAt(fmt.Sprint("field", i), bleve.NewTextFieldMapping())
	}
	plugin.AddSignature(m.DefaultMapping, "zzz")
	return m
}

// To ask whether an index has signatures costs the same whatever its mapping; each search
// does.
func BenchmarkSigned(b *testing.B) {
	for _, n := range []int{1, 1000} {
		x, err := plugin.New("", having(n))
		if err != nil {
			b.Fatal(err)
		}
		defer x.Close()
		b.Run(fmt.Sprint(n, " fields"), func(b *testing.B) {
			for b.Loop() {
				if err := indexes.Signed(x, plugin.Field); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What is kept of mappings is let go of with them, and is not taken for what another has that
// comes to be at the same address.
func TestFingerprintedForgets(t *testing.T) {
	t.Parallel()
	for i := range 300 {
		m := having(0)
		if i%2 == 1 {
			m = bleve.NewIndexMapping()
		}
		for range 2 {
			if err := neardup.Fingerprinted(m, plugin.Field); (err == nil) != (i%2 == 0) {
				t.Fatalf("mapping %d: got error %v", i, err)
			}
			if err := neardup.Fingerprinted(m, fmt.Sprint("none", i)); err == nil {
				t.Fatalf("mapping %d: a field that is not there is no error", i)
			}
		}
		if i%100 == 0 {
			runtime.GC()
		}
	}
	all := bleve.NewIndexMapping()
	all.DefaultAnalyzer = neardup.Name
	for range 2 {
		if err := neardup.Fingerprinted(all, "any"); err != nil {
			t.Errorf("every text is fingerprinted: got error %v", err)
		}
	}
	if err := neardup.Fingerprinted(nil, "any"); err != nil {
		t.Errorf("nothing is known: got error %v", err)
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		size, from, want int
		err              string
	}{
		{10, 0, 10, ""},
		{0, 0, 0, ""},
		{math.MaxInt, indexes.MostHits, indexes.MostHits, ""},
		{indexes.MostHits, 5, indexes.MostHits, ""},
		{indexes.MostHits - 1, 0, indexes.MostHits - 1, ""},
		{-1, 0, 0, "wanted size and from of 0 or more, got -1 and 0"},
		{1, -2, 0, "got 1 and -2"},
		{1, indexes.MostHits + 1, 0, fmt.Sprintf("wanted from of at most %d", indexes.MostHits)},
	} {
		got, err := indexes.Page(tt.size, tt.from)
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%d, %d: got %d, error %v", tt.size, tt.from, got, err)
		}
	}
}

func TestNoQuery(t *testing.T) {
	t.Parallel()
	for _, q := range []query.Query{nil, (*query.MatchQuery)(nil)} {
		if !indexes.NoQuery(q) {
			t.Errorf("%T is a query", q)
		}
	}
	if indexes.NoQuery(query.NewMatchAllQuery()) {
		t.Error("a query is none")
	}
}

// Members of aliases are found through aliases, and nil among them as well.
func TestLeaves(t *testing.T) {
	t.Parallel()
	x, err := plugin.New("", having(0))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if n := len(indexes.Leaves(bleve.NewIndexAlias(x, bleve.NewIndexAlias(x, x)))); n != 3 {
		t.Errorf("got %d", n)
	}
	for name, nested := range map[string]bleve.Index{"nil": nil, "alias": bleve.NewIndexAlias(x, bleve.NewIndexAlias(x, nil))} {
		if err := indexes.Present(nested); err == nil || !strings.Contains(err.Error(), "got nil") {
			t.Errorf("%s: got error %v", name, err)
		}
		if _, err := indexes.Reader(nested); err == nil {
			t.Errorf("%s: a reader is opened", name)
		}
	}
	if err := indexes.Check(t.Context(), x); err != nil {
		t.Error(err)
	}
}
