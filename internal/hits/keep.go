package hits

import (
	"sync"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"
)

// Keep is the caller's filter. The zero Keep keeps all hits.
type Keep struct {
	Hit    func(*search.DocumentMatch) bool // nil keeps all
	Fields []string                         // that it needs
}

// Serial returns a Keep that asks about one hit at a time.
func (k Keep) Serial() Keep {
	if k.Hit == nil {
		return k
	}
	var mu sync.Mutex
	hit := k.Hit
	k.Hit = func(d *search.DocumentMatch) bool {
		mu.Lock()
		defer mu.Unlock()
		return hit(d)
	}
	return k
}

// In asks about a hit of a snapshot, with its fields, which are taken out of it again.
func (k *Keep) In(snapshot index.IndexReader, hit *search.DocumentMatch) (bool, error) {
	if len(k.Fields) == 0 {
		return k.Hit(hit), nil
	}
	had := hit.Fields
	hit.Fields = nil
	defer func() { hit.Fields = had }()
	if err, _ := bleve.LoadAndHighlightFields(hit, &bleve.SearchRequest{Fields: k.Fields}, hit.Index, snapshot, nil); err != nil {
		return false, err
	}
	return k.Hit(hit), nil
}
