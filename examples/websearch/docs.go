package main

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

const (
	maxCopies   = 50       // copies listed under a head
	snippetText = 32 << 10 // bytes of a text that are looked through for a snippet
	snippetSize = 240      // bytes of a snippet
)

// doc is a document as results name it.
type doc struct{ ID, Title, Version string }

// Name is its title, or the id if it has none.
func (d doc) Name() string {
	if d.Title == "" {
		return d.ID
	}
	return d.Title
}

// copied is a near-copy, and how it compares with what it is a copy of.
type copied struct {
	doc
	signature.Match
	Resemblance float64
}

// entry is an item of a list: a document with its near-copies.
type entry struct {
	doc
	Rank    int
	Snippet []segment
	Copies  []copied
	More    int  // copies that are not listed
	CopyOf  *doc // the head that would hide it
	Open    bool
	State   state
}

// Count is the number of all copies.
func (e entry) Count() int { return len(e.Copies) + e.More }

var docFields = []string{"title", "version"}

func newDoc(id string, fields map[string]any) doc {
	d := doc{ID: id}
	d.Title, _ = fields["title"].(string)
	if v, ok := fields["version"].(float64); ok && v != 0 {
		d.Version = strconv.FormatFloat(v, 'f', -1, 64)
	}
	return d
}

// docs looks up what to call documents.
func (s *site) docs(ctx context.Context, ids []string) (map[string]doc, error) {
	named := make(map[string]doc, len(ids))
	hits, err := s.load(ctx, ids, docFields)
	for _, hit := range hits {
		named[hit.ID] = newDoc(hit.ID, hit.Fields)
	}
	for _, id := range ids {
		if _, ok := named[id]; !ok {
			named[id] = doc{ID: id}
		}
	}
	return named, err
}

// load returns documents with stored fields of theirs.
func (s *site) load(ctx context.Context, ids, fields []string) (search.DocumentMatchCollection, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	request := bleve.NewSearchRequestOptions(bleve.NewDocIDQuery(ids), len(ids), 0, false)
	request.Fields = fields
	result, err := s.index.SearchInContext(ctx, request)
	if err != nil {
		return nil, err
	}
	return result.Hits, nil
}

// stored is a document with its text and signature.
type stored struct {
	doc
	Text      string
	Signature signature.Signature
}

// stored loads a document.
func (s *site) stored(ctx context.Context, id string) (stored, error) {
	sketch := signature.SketchField(signature.DefaultField)
	hits, err := s.load(ctx, []string{id}, append([]string{"text", sketch}, docFields...))
	if err != nil {
		return stored{}, err
	}
	if len(hits) == 0 {
		return stored{}, failure{http.StatusNotFound, fmt.Sprintf("There is no document %q.", id)}
	}
	d := stored{doc: newDoc(id, hits[0].Fields)}
	d.Text, _ = hits[0].Fields["text"].(string)
	text, _ := hits[0].Fields[sketch].(string)
	return d, d.Signature.UnmarshalText([]byte(text))
}

// segment is a piece of a snippet.
type segment struct {
	Text string
	Mark bool
}

// snippet returns the stretch of text with most of the terms, which it marks.
func (s *site) snippet(text string, terms map[string]bool) []segment {
	text = cut(text, snippetText)
	type place struct{ start, end int }
	var places []place
	var names []string
	if len(terms) > 0 {
		for _, t := range s.words.Analyze([]byte(text)) {
			if terms[string(t.Term)] {
				places = append(places, place{t.Start, t.End})
				names = append(names, string(t.Term))
			}
		}
	}
	best, most := 0, 0
	for i := range places {
		seen := make(map[string]bool)
		n := 0
		for j := i; j < len(places) && places[j].end-places[i].start <= snippetSize*3/4; j++ {
			n++
			if !seen[names[j]] {
				seen[names[j]] = true
				n += 10
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	start := 0
	if len(places) > 0 && places[best].start > snippetSize/4 {
		start = places[best].start - snippetSize/5
		if space := strings.IndexAny(text[start:places[best].start], " \n"); space >= 0 {
			start += space + 1
		}
		for start > 0 && !utf8.RuneStart(text[start]) {
			start--
		}
	}
	end := start + len(cut(text[start:], snippetSize))
	var out []segment
	add := func(from, to int, mark bool) {
		if from < to {
			out = append(out, segment{text[from:to], mark})
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

// documentView is a document, for reading.
type documentView struct {
	state
	stored
}

func (s *site) document(ctx context.Context, r *http.Request) (any, error) {
	st, err := s.read(r)
	if err != nil {
		return nil, err
	}
	d, err := s.stored(ctx, st.ID)
	return documentView{st, d}, err
}
