// Package manuals searches the manuals of several products, of which each release has its own.
package manuals

import (
	"context"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
)

// Manual is a page of a manual.
type Manual struct {
	Product string `json:"product"`
	Release int    `json:"release"`
	Title   string `json:"title"`
	Text    string `json:"text"`
}

// Type is the name that the mapping of manuals is registered under.
func (Manual) Type() string { return "manual" }

// Found is one result.
type Found struct {
	ID, Title string
	Release   int
}

// Library is all manuals.
type Library struct{ index bleve.Index }

func newMapping() mapping.IndexMapping {
	product := bleve.NewTextFieldMapping()
	product.Analyzer = keyword.Name
	text := bleve.NewTextFieldMapping()
	text.Analyzer = "en"
	manual := bleve.NewDocumentStaticMapping()
	manual.AddFieldMappingsAt("product", product)
	manual.AddFieldMappingsAt("release", bleve.NewNumericFieldMapping())
	manual.AddFieldMappingsAt("title", text)
	manual.AddFieldMappingsAt("text", text)
	plugin.AddSignature(manual, "text")
	m := bleve.NewIndexMapping()
	m.AddDocumentMapping("manual", manual)
	return m
}

// Create makes a library in a folder.
func Create(path string) (*Library, error) {
	index, err := plugin.New(path, newMapping())
	if err != nil {
		return nil, err
	}
	return &Library{index}, nil
}

// Close closes the library.
func (l *Library) Close() error { return l.index.Close() }

// Add adds pages by their ids, or replaces them.
func (l *Library) Add(pages map[string]Manual) error {
	batch := l.index.NewBatch()
	for id, page := range pages {
		if err := batch.Index(id, page); err != nil {
			return err
		}
	}
	return l.index.Batch(batch)
}

// Search returns the ten best pages of a product's manuals, of all products if it is empty.
func (l *Library) Search(words, product string) (all []Found, err error) {
	must := []query.Query{bleve.NewMatchQuery(words)}
	if product != "" {
		only := bleve.NewTermQuery(product)
		only.SetField("product")
		must = append(must, only)
	}
	request := bleve.NewSearchRequest(bleve.NewConjunctionQuery(must...))
	request.Fields = []string{"title", "release"}
	request.Highlight = bleve.NewHighlight()
	newest := collapse.Options{Head: search.ParseSortOrderStrings([]string{"-release"}), Complete: true}
	result, err := collapse.Search(context.Background(), l.index, request, newest)
	if err != nil {
		return nil, err
	}
	for _, hit := range result.Hits {
		title, _ := hit.Fields["title"].(string)
		release, _ := hit.Fields["release"].(float64)
		all = append(all, Found{ID: hit.ID, Title: title, Release: int(release)})
	}
	return all, nil
}
