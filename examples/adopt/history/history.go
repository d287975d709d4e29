// Package history keeps the pages that a browser visited, and searches them, newest first.
//
// There is one index for each language, behind an alias.
package history

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/de"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// PageSize is how many visits a page has.
const PageSize = 10

// Visit is one page that was seen.
type Visit struct {
	Title string    `json:"title"`
	Body  string    `json:"body"`
	Host  string    `json:"host"`
	Time  time.Time `json:"time"`
}

// History is the visits of one person.
type History struct {
	all      bleve.IndexAlias
	language map[string]bleve.Index
}

// Page is one page of results. After is where the next one begins, nil at the end.
type Page struct {
	URLs  []string
	Hosts map[string]int
	After []string
}

func newMapping(language string) mapping.IndexMapping {
	m := bleve.NewIndexMapping()
	m.DefaultAnalyzer = language
	host := bleve.NewTextFieldMapping()
	host.Analyzer = keyword.Name
	m.DefaultMapping.AddFieldMappingsAt("host", host)
	plugin.AddSignature(m.DefaultMapping, "body")
	return m
}

// Create makes a history in a folder.
func Create(dir string, languages ...string) (*History, error) {
	h := &History{all: bleve.NewIndexAlias(), language: map[string]bleve.Index{}}
	for _, language := range languages {
		path := filepath.Join(dir, language+".bleve")
		config := map[string]any{"unsafe_batch": true}
		index, err := bleve.NewUsing(path, newMapping(language), indextype.Name, "boltdb", config)
		if err != nil {
			return nil, errors.Join(err, h.Close())
		}
		h.language[language] = index
		h.all.Add(index)
	}
	return h, nil
}

// Close closes all indexes.
func (h *History) Close() (err error) {
	for _, index := range h.language {
		err = errors.Join(err, index.Close())
	}
	return err
}

// Add adds a visit to the page at url.
func (h *History) Add(language, url string, v Visit) error {
	return h.language[language].Index(url, v)
}

// Search returns the page of visits after a place.
func (h *History) Search(words string, after []string) (*Page, error) {
	request := bleve.NewSearchRequestOptions(bleve.NewMatchQuery(words), PageSize, 0, false)
	request.SortBy([]string{"-time", "_id"})
	request.SearchAfter = after
	request.AddFacet("hosts", bleve.NewFacetRequest("host", 5))
	result, err := collapse.Search(context.Background(), h.all, request, collapse.Options{})
	if err != nil {
		return nil, err
	}
	page := &Page{Hosts: map[string]int{}}
	for _, hit := range result.Hits {
		page.URLs = append(page.URLs, hit.ID)
	}
	for _, host := range result.Facets["hosts"].Terms.Terms() {
		page.Hosts[host.Term] = host.Count
	}
	if n := len(result.Hits); n == PageSize {
		page.After = result.Hits[n-1].Sort
	}
	return page, nil
}
