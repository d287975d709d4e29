// Package plainbleve is a program that a test of Leave builds and runs. It knows bleve alone, its own analysis packages included.
package plainbleve

import (
	"bufio"
	"encoding/json"
	"log"
	"os"
	"testing"

	"github.com/blevesearch/bleve/v2"
	_ "github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	_ "github.com/blevesearch/bleve/v2/analysis/datetime/flexible"
	_ "github.com/blevesearch/bleve/v2/analysis/datetime/timestamp/milliseconds"
	_ "github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	_ "github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
)

// TestMain opens an index and prints, as JSON, the hits of each query string that stands on a line of standard input.
func TestMain(*testing.M) {
	index, err := bleve.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	out := json.NewEncoder(os.Stdout)
	queries := bufio.NewScanner(os.Stdin)
	for queries.Scan() {
		request := bleve.NewSearchRequestOptions(bleve.NewQueryStringQuery(queries.Text()), 1000, 0, false)
		request.SortBy([]string{"-_score", "_id"})
		request.Fields = []string{"*"}
		request.IncludeLocations = true
		result, err := index.Search(request)
		if err != nil {
			log.Fatal(err)
		}
		type hit struct {
			ID     string
			Score  float64
			Fields map[string]any
			Where  any
		}
		var hits []hit
		for _, h := range result.Hits {
			hits = append(hits, hit{h.ID, h.Score, h.Fields, h.Locations})
		}
		if err := out.Encode(map[string]any{"total": result.Total, "hits": hits}); err != nil {
			log.Fatal(err)
		}
	}
	// It can be written to as well.
	if err := index.Index("one more", map[string]any{"title": "last"}); err != nil {
		log.Fatal(err)
	}
}
