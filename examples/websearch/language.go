package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/examples/internal/pages"
)

// operators are what makes of words a query string of bleve: a phrase, a word with a sign, or a field.
// Without any, "a-b", "C++" or "std::vector" are words.
var operators = regexp.MustCompile(`"[^"]+"|(?:^|\s)[+-][\pL\pN"]|(?:^|\s)[+-]?\w+:["\pL\pN]`)

// asked is what the words of a search ask for, and those of them that a hit can have.
type asked struct {
	query query.Query
	words string
}

// ask reads the words of a search. They are a query string of bleve's if they have its operators and name
// no field that documents lack; and else words.
func ask(text string, known func(field string) bool) asked {
	if text == "" {
		return asked{query: bleve.NewMatchAllQuery()}
	}
	plain := asked{pages.Match(text), text}
	if !operators.MatchString(text) {
		return plain
	}
	parsed, err := bleve.NewQueryStringQuery(text).Parse()
	if err != nil {
		return plain
	}
	a := asked{}
	if a.query = a.over(parsed, known, true); a.query == nil {
		return plain
	}
	return a
}

// over returns a query in which leaves without a field ask text and title, nil if one has an unknown
// field. It collects the words of leaves that hits have.
func (a *asked) over(q query.Query, known func(field string) bool, wanted bool) query.Query {
	switch q := q.(type) {
	case *query.BooleanQuery:
		return a.overBoolean(q, known, wanted)
	case *query.ConjunctionQuery:
		return a.overAll(q, &q.Conjuncts, known, wanted)
	case *query.DisjunctionQuery:
		return a.overAll(q, &q.Disjuncts, known, wanted)
	case *query.MatchQuery:
		if a.add(q.Match, wanted); q.FieldVal == "" {
			title := *q
			return both(q, &title)
		}
		return fielded(q, known)
	case *query.MatchPhraseQuery:
		if a.add(q.MatchPhrase, wanted); q.FieldVal == "" {
			title := *q
			return both(q, &title)
		}
		return fielded(q, known)
	case query.FieldableQuery:
		if q.Field() == "" {
			q.SetField("text")
		}
		return fielded(q, known)
	}
	return q
}

// titled is a query that can ask the text, or with a greater boost the title.
type titled interface {
	query.FieldableQuery
	query.BoostableQuery
}

// both asks the text by one query and the title by its copy.
func both(text, title titled) query.Query {
	text.SetField("text")
	title.SetField("title")
	title.SetBoost(2 * text.Boost())
	return bleve.NewDisjunctionQuery(text, title)
}

func fielded(q query.FieldableQuery, known func(field string) bool) query.Query {
	if !known(q.Field()) {
		return nil
	}
	return q
}

func (a *asked) add(words string, wanted bool) {
	if wanted {
		a.words = strings.TrimSpace(a.words + " " + words)
	}
}

func (a *asked) overBoolean(q *query.BooleanQuery, known func(field string) bool, wanted bool) query.Query {
	for _, part := range []struct {
		of     *query.Query
		wanted bool
	}{{&q.Must, wanted}, {&q.Should, wanted}, {&q.MustNot, false}} {
		if *part.of == nil {
			continue
		}
		if *part.of = a.over(*part.of, known, part.wanted); *part.of == nil {
			return nil
		}
	}
	return q
}

func (a *asked) overAll(q query.Query, parts *[]query.Query, known func(field string) bool, wanted bool) query.Query {
	for i, part := range *parts {
		(*parts)[i] = a.over(part, known, wanted)
	}
	if slices.Contains(*parts, nil) {
		return nil
	}
	return q
}
