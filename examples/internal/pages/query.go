package pages

import (
	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"
)

// Order is the sort order of results. Equal copies have equal scores, and the first
// of them becomes the head, so this says which: the newest version.
var Order = []string{"-_score", "-version"}

// Match asks for words in the text or, for more, in the title.
func Match(words string) query.Query {
	text := bleve.NewMatchQuery(words)
	text.SetField("text")
	title := bleve.NewMatchQuery(words)
	title.SetField("title")
	title.SetBoost(2)
	return bleve.NewDisjunctionQuery(text, title)
}
