package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
)

// asked returns the fields in which a query string looks for words. It is an error if some of the words have neither a
// letter nor a digit: bleve would look for nothing, and find nothing.
func asked(text string, m interface{ DefaultSearchField() string }) (fields []string, err error) {
	q, err := bleve.NewQueryStringQuery(text).Parse()
	if err != nil {
		return nil, fmt.Errorf("query %q: %w", text, err)
	}
	add := func(words, field string) {
		fields = append(fields, cmp.Or(field, m.DefaultSearchField()))
		if err == nil && !strings.ContainsFunc(words, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
			err = fmt.Errorf("query %q: wanted words, got %q: bleve's query strings have neither brackets nor operators but + and -", text, words)
		}
	}
	var walk func(parts ...query.Query)
	walk = func(parts ...query.Query) {
		for _, q := range parts {
			switch q := q.(type) {
			case *query.BooleanQuery:
				walk(q.Must, q.Should, q.MustNot)
			case *query.ConjunctionQuery:
				walk(q.Conjuncts...)
			case *query.DisjunctionQuery:
				walk(q.Disjuncts...)
			case *query.MatchQuery:
				add(q.Match, q.FieldVal)
			case *query.MatchPhraseQuery:
				add(q.MatchPhrase, q.FieldVal)
			}
		}
	}
	walk(q)
	return fields, err
}

// fieldNames are the fields of an index that a query can name, and that some document has.
func fieldNames(x bleve.Index) ([]string, error) {
	names, err := x.Fields()
	if err != nil {
		return nil, err
	}
	var all []string
	for _, name := range names {
		if name == "" || name[0] == '~' || name == "_id" || neardup.Fingerprinted(x.Mapping(), name) == nil {
			continue
		}
		any, err := filled(x, name)
		if err != nil {
			return nil, err
		}
		if any {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all, nil
}

// filled reports whether any document has a term in the field.
func filled(x bleve.Index, field string) (bool, error) {
	dict, err := x.FieldDict(field)
	if err != nil {
		return false, err
	}
	defer dict.Close()
	entry, err := dict.Next()
	return entry != nil, err
}

// hints says why a query might have found nothing: fields that no document has.
func hints(x bleve.Index, fields []string) (lines []string, err error) {
	names, err := fieldNames(x)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	slices.Sort(fields)
	for _, field := range slices.Compact(fields) {
		if !slices.Contains(names, field) {
			line := fmt.Sprintf("no document has the field %q", field)
			if field == x.Mapping().DefaultSearchField() {
				line += ", in which words are looked for that name none"
			}
			lines = append(lines, fmt.Sprintf("%s; the fields are %s", line, strings.Join(names, ", ")))
		}
	}
	return lines, nil
}
