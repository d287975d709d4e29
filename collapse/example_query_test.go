package collapse_test

import (
	"fmt"
	"log"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse"
)

// Totals and facets of the collapsed set, by bleve's own search. The last version of
// each page is the one that stays.
func ExampleQuery() {
	index := pages()
	defer index.Close()

	query := collapse.NewQuery(bleve.NewMatchQuery("tools"), collapse.Options{
		Head: search.SortOrder{&search.SortDocID{Desc: true}},
	})
	request := bleve.NewSearchRequest(query)
	request.SortBy([]string{"_id"})
	result, err := index.Search(request)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("total", result.Total)
	for _, hit := range result.Hits {
		fmt.Println(hit.ID)
	}
	// Output:
	// total 2
	// guide-3
	// news
}
