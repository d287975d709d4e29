package collapse_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse"
)

// Totals and facets of the collapsed set, by bleve's own search. The last version of
// each page is the one that stays.
func ExampleQuery() {
	index := pages()
	defer index.Close()

	query := collapse.NewQuery(bleve.NewMatchQuery("tools"), collapse.QueryOptions{
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

// A search service: bleve's request with one more member.
func ExampleHandler() {
	index := pages()
	defer index.Close()
	server := httptest.NewServer(&collapse.Handler{Index: index, MaxHits: 100})
	defer server.Close()

	const request = `{
		"query": {"match": "tools"}, "sort": ["_id"],
		"collapse": {"inner_hits": [{"name": "versions", "size": 1, "sort": ["-_id"]}]}
	}`
	response, err := http.Post(server.URL, "application/json", bytes.NewReader([]byte(request)))
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	var result collapse.Result
	if err := json.NewDecoder(response.Body).Decode(&result); err != nil {
		log.Fatal(err)
	}
	for i, hit := range result.Hits {
		fmt.Print(hit.ID)
		for _, last := range result.Groups[i].InnerHits["versions"].Hits {
			fmt.Printf(", last version %s", last.ID)
		}
		fmt.Println()
	}
	// Output:
	// guide-1, last version guide-3
	// news
}
