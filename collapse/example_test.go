package collapse_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
)

// pages makes a small index: three versions of one page, and another.
func pages() bleve.Index {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	index, err := plugin.New("", m)
	if err != nil {
		log.Fatal(err)
	}
	const guide = "Install the tools, then configure the build with the options below, run the tests, and read the report. "
	for id, body := range map[string]string{
		"guide-1": guide + "Last change in May.",
		"guide-2": guide + "Last change in May.",
		"guide-3": "INSTALL the tools; then configure the build with the options below, run the tests, and read the report. Last change in May.",
		"news":    "The tools have a new release: the build takes half the time, and the report has links.",
	} {
		if err := index.Index(id, map[string]any{"body": body}); err != nil {
			log.Fatal(err)
		}
	}
	return index
}

// Page after page by the cursor, which may go to the client and back as JSON.
func ExampleSearch() {
	index := pages()
	defer index.Close()
	request := bleve.NewSearchRequest(bleve.NewMatchQuery("tools"))
	request.SortBy([]string{"_id"})
	request.Size = 1

	var options collapse.Options
	for {
		result, err := collapse.Search(context.Background(), index, request, options)
		if err != nil {
			log.Fatal(err)
		}
		for hit, place := range result.All() {
			fmt.Printf("%s and %d near-copies\n", hit.ID, len(place.Copies))
		}
		if result.Next == nil {
			fmt.Println(result.TotalGroups, "groups,", result.Total, "hits")
			break
		}
		data, err := json.Marshal(result.Next)
		if err != nil {
			log.Fatal(err)
		}
		options.Cursor = new(collapse.Cursor)
		if err := json.Unmarshal(data, options.Cursor); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// guide-1 and 2 near-copies
	// news and 0 near-copies
	// 2 groups, 4 hits
}
