package main

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/analysis"
)

const (
	snippetText = 64 << 10 // bytes of a text that are looked through for a snippet
	snippetSize = 240      // bytes of a snippet
)

// segment is a piece of a snippet.
type segment struct {
	Text string
	Mark bool
}

// vocabulary keeps which terms an analyzer makes of a word. The texts of a site have the same words
// again and again, and to analyse them takes longer than the search.
type vocabulary struct {
	words analysis.Analyzer
	mu    sync.Mutex
	terms map[string][]string
}

// mostWords is how many words a vocabulary keeps before it begins anew.
const mostWords = 100_000

// of returns the terms of a word.
func (v *vocabulary) of(word string) (terms []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	terms, ok := v.terms[word]
	if !ok {
		for _, t := range v.words.Analyze([]byte(word)) {
			terms = append(terms, string(t.Term))
		}
		if v.terms == nil || len(v.terms) == mostWords {
			v.terms = make(map[string][]string)
		}
		v.terms[strings.Clone(word)] = terms
	}
	return terms
}

// snippets makes snippets for a query.
type snippets struct {
	words *vocabulary
	terms map[string]bool // of the query, as words makes them
	known map[string]bool // whether a word is one of the terms
}

func newSnippets(words *vocabulary, query string) *snippets {
	s := &snippets{words, make(map[string]bool), make(map[string]bool)}
	for _, t := range words.words.Analyze([]byte(query)) {
		s.terms[string(t.Term)] = true
	}
	return s
}

// markup of plain-text formats is left out: what stands under headings and in tables, around code and
// emphasis, before roles and directives, and the names of a directive's options.
var markup = regexp.MustCompile("(?m:^[ \t]*:[a-z-]+:)|[-=~^*#_+.]{4,}|(?::[a-z]+:)?`+_*|\\*\\*|\\.\\. _?(?:[a-z-]+::)?")

// place is where a term stands.
type place struct {
	start, end int
	term       string
}

// of returns the stretch of text with most of the terms, which it marks.
func (s *snippets) of(text string) []segment {
	text = cut(text, snippetText)
	var places []place
	if len(s.terms) > 0 {
		at := 0
		for name := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			at += strings.Index(text[at:], name)
			if s.matches(name) {
				places = append(places, place{at, at + len(name), strings.ToLower(name)})
			}
			at += len(name)
		}
	}
	start := 0
	if p := densest(places); p > snippetSize/4 {
		start = p - snippetSize/5
		if space := strings.IndexAny(text[start:p], " \n"); space >= 0 {
			start += space + 1
		}
		for !utf8.RuneStart(text[start]) {
			start--
		}
	}
	end := start + len(cut(text[start:], snippetSize))
	if space := strings.LastIndexAny(text[start:end], " \n"); space > 0 && end < len(text) {
		end = start + space
	}
	return mark(text, places, start, end)
}

// matches reports whether a word is one of the terms.
func (s *snippets) matches(name string) bool {
	yes, ok := s.known[name]
	if !ok {
		for _, term := range s.words.of(name) {
			yes = yes || s.terms[term]
		}
		s.known[strings.Clone(name)] = yes
	}
	return yes
}

// densest returns where the stretch with most of the places begins. Different words
// count for more than one of them again.
func densest(places []place) (start int) {
	most := 0
	for i, p := range places {
		seen, n := make(map[string]bool), 0
		for _, next := range places[i:] {
			if next.end-p.start > snippetSize*3/4 {
				break
			}
			n++
			if !seen[next.term] {
				seen[next.term] = true
				n += 10
			}
		}
		if n > most {
			start, most = p.start, n
		}
	}
	return start
}

// mark returns text[start:end] with its places marked.
func mark(text string, places []place, start, end int) (out []segment) {
	add := func(from, to int, mark bool) {
		if from < to {
			out = append(out, segment{markup.ReplaceAllLiteralString(text[from:to], ""), mark})
		}
	}
	at := start
	for _, p := range places {
		if p.start >= at && p.end <= end {
			add(at, p.start, false)
			add(p.start, p.end, true)
			at = p.end
		}
	}
	add(at, end, false)
	return out
}

// cut returns at most n bytes of text, ending with a whole rune.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
