package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/serve"
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

// A search service: bleve's request with one more member.
func ExampleHandler() {
	index := pages()
	defer index.Close()
	server := httptest.NewServer(&serve.Handler{Index: index, Guard: serve.Guard{Limits: serve.Limits{Hits: 100}}})
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

// bleve's request with one member more, from JSON.
func ExampleRequest() {
	index := pages()
	defer index.Close()
	var request serve.Request
	err := json.Unmarshal([]byte(`{"query": {"match": "tools"}, "sort": ["_id"], "collapse": {"visible": 2, "rule": {"lanes": 95}}}`), &request)
	if err != nil {
		log.Fatal(err)
	}
	result, err := request.Search(context.Background(), index)
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range result.Hits {
		fmt.Println(hit.ID)
	}
	// Output:
	// guide-1
	// guide-2
	// news
}
