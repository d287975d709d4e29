package main

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
)

// leaf is words that a query string asks for, in a field.
type leaf struct{ words, field string }

// leaves returns the words that a query string asks for. It is an error if some of them have neither a
// letter nor a digit: bleve would look for nothing, and find nothing.
func leaves(text string, m interface{ DefaultSearchField() string }) (all []leaf, err error) {
	q, err := bleve.NewQueryStringQuery(text).Parse()
	if err != nil {
		return nil, fmt.Errorf("query %q: %w", text, err)
	}
	var walk func(q query.Query)
	add := func(words, field string) {
		if field == "" {
			field = m.DefaultSearchField()
		}
		all = append(all, leaf{words, field})
		if err == nil && !strings.ContainsFunc(words, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
			err = fmt.Errorf("query %q: wanted words, got %q: bleve's query strings have neither brackets nor operators but + and -", text, words)
		}
	}
	walk = func(q query.Query) {
		switch q := q.(type) {
		case *query.BooleanQuery:
			for _, part := range []query.Query{q.Must, q.Should, q.MustNot} {
				if part != nil {
					walk(part)
				}
			}
		case *query.ConjunctionQuery:
			for _, part := range q.Conjuncts {
				walk(part)
			}
		case *query.DisjunctionQuery:
			for _, part := range q.Disjuncts {
				walk(part)
			}
		case *query.MatchQuery:
			add(q.Match, q.FieldVal)
		case *query.MatchPhraseQuery:
			add(q.MatchPhrase, q.FieldVal)
		}
	}
	walk(q)
	return all, err
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

// mostTerms bounds how many terms of a field are looked at for a word like another.
const mostTerms = 1_000_000

// hints says why a query might have found nothing: fields that the index has not, and words that no document has, with
// those that are most like them.
func hints(x bleve.Index, all []leaf) (lines []string, err error) {
	names, err := fieldNames(x)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	for _, l := range all {
		if !slices.Contains(names, l.field) {
			line := fmt.Sprintf("no document has the field %q", l.field)
			if l.field == x.Mapping().DefaultSearchField() {
				line += ", in which words are looked for that name none"
			}
			lines = append(lines, fmt.Sprintf("%s; the fields are %s", line, strings.Join(names, ", ")))
			continue
		}
		a := x.Mapping().AnalyzerNamed(x.Mapping().AnalyzerNameForPath(l.field))
		if a == nil {
			continue
		}
		for _, token := range a.Analyze([]byte(l.words)) {
			line, err := lacking(x, l.field, string(token.Term))
			if err != nil {
				return nil, err
			}
			if line != "" {
				lines = append(lines, line)
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines), nil
}

// lacking says that no document has a term, and which one is like it; it is empty if there are such documents.
func lacking(x bleve.Index, field, term string) (string, error) {
	_, first := utf8.DecodeRuneInString(term)
	dict, err := x.FieldDictPrefix(field, []byte(term[:first]))
	if err != nil {
		return "", err
	}
	defer dict.Close()
	best, count, least := "", uint64(0), min(2, (utf8.RuneCountInString(term)-1)/2)+1
	for range mostTerms {
		entry, err := dict.Next()
		if err != nil {
			return "", err
		}
		if entry == nil {
			break
		}
		if entry.Term == term {
			return "", nil
		}
		d, more := search.LevenshteinDistanceMax(term, entry.Term, least)
		if more {
			continue
		}
		if d < least || d == least && best != "" && entry.Count > count {
			best, count, least = entry.Term, entry.Count, d
		}
	}
	line := fmt.Sprintf("no document has %q in the field %q", term, field)
	if best != "" {
		line += fmt.Sprintf("; %s %q", plural(int(count), "document has", "documents have"), best)
	}
	return line, nil
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}
