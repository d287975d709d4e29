package upstream

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
)

func TestCustomQuery(t *testing.T) {
	t.Parallel()
	index, err := bleve.New("", bleve.NewIndexMapping())
	index = closing(t, index, err)
	write(t, index, "fox", "fox and dog")
	childQuery := bleve.NewMatchQuery("fox")
	filterQuery := query.NewCustomFilterQueryWithFilter(childQuery,
		func(ctx context.Context, d *search.DocumentMatch) (bool, error) {
			return true, ctx.Err()
		}, nil, nil)
	if result, err := index.Search(bleve.NewSearchRequest(filterQuery)); err != nil || result.Total != 2 {
		t.Errorf("got %v, error %v, want both documents", result, err)
	}

	// The page of the same version, if the sources of bleve are where they were compiled.
	pc := reflect.ValueOf(query.NewCustomFilterQueryWithFilter).Pointer()
	file, _ := runtime.FuncForPC(pc).FileLine(pc)
	page, err := os.ReadFile(filepath.Join(filepath.Dir(file), "..", "..", "docs", "custom_query.md"))
	if err != nil {
		t.Skip("no sources of bleve here: ", err)
	}
	for _, old := range []string{"func(d *search.DocumentMatch) bool {", "func(d *search.DocumentMatch) float64 {"} {
		if !strings.Contains(string(page), old) {
			t.Errorf("bleve has changed: its page has no callback %q any more", old)
		}
	}
}
