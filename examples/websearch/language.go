package main

import (
	"regexp"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/examples/internal/pages"
)

var (
	// operators are what makes of words a query string of bleve: a phrase, a word with a sign, or a field.
	// Without any, "a-b", "C++" or "std::vector" are words.
	operators = regexp.MustCompile(`"[^"]+"|(?:^|\s)[+-][\pL\pN"]|(?:^|\s)[+-]?\w+:["\pL\pN]`)
	named     = regexp.MustCompile(`(?:^|\s)[+-]?(\w+):["\pL\pN]`)
)

// ask reads the words of a search. They are a query string of bleve's if they have its operators and name no field
// that documents lack; or else words.
func ask(text string, fields []string) query.Query {
	if text == "" {
		return bleve.NewMatchAllQuery()
	}
	known := operators.MatchString(text)
	for _, field := range named.FindAllStringSubmatch(text, -1) {
		known = known && slices.Contains(fields, field[1])
	}
	if known {
		if q, err := bleve.NewQueryStringQuery(text).Parse(); err == nil {
			return q
		}
	}
	return pages.Match(text)
}
