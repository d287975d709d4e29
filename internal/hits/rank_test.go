package hits

import (
	"context"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// A page is ranked here wherever that can be done: nothing else would show if it were
// not, but the time it takes.
func TestRankable(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	m.DefaultMapping.AddFieldMappingsAt("body", &mapping.FieldMapping{Name: "neardup", Type: "text", Analyzer: "neardup", Index: true})
	x, err := bleve.NewUsing("", m, indextype.Name, bleve.Config.DefaultKVStore, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for name, tt := range map[string]struct {
		index bleve.Index
		sort  []string
		want  bool
	}{
		"by score":        {x, nil, true},
		"by a field":      {x, []string{"-date"}, false},
		"by score and id": {x, []string{"-_score", "_id"}, false},
		"in an alias":     {bleve.NewIndexAlias(x), nil, false},
		"wrapped":         {struct{ anyIndex }{x}, nil, false}, // which may drop hits
	} {
		r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
		if tt.sort != nil {
			r.SortBy(tt.sort)
		}
		order := Order(r.Sort)
		h, err := Open(tt.index, r, Options{Field: "neardup", Visible: 1})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Next(context.Background(), 3, 10); err != nil {
			t.Fatal(err)
		}
		if got := h.own != nil; got != tt.want {
			t.Errorf("%s: ranked here: %v, want %v", name, got, tt.want)
		}
		h.Close()
		if got := ranksHere(context.Background(), tt.index, r, order); got != tt.want {
			t.Errorf("%s, as a whole: ranked here: %v, want %v", name, got, tt.want)
		}
		handled := context.WithValue(context.Background(), search.MakeDocumentMatchHandlerKey, 1)
		if ranksHere(handled, tt.index, r, order) {
			t.Errorf("%s: the caller's handler would see no match", name)
		}
	}
}
