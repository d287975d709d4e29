package serve

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"strings"

	"github.com/neardup/bleve-neardup/internal/hits"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// bleve parses a query before any timeout holds, and in two cases in quadratic time:
// queries within queries, which each level reads again down to the innermost, and
// query strings, whose lexer adds byte by byte to a word. 100 KB of the one were
// measured to take 9 s, 200 KB of the other 17 s. So what can be counted in JSON is
// counted before.

// deepest is how deep encoding/json goes.
const deepest = 10_000

// strainer counts what stands in a request.
type strainer struct {
	*json.Decoder
	depth int // the most

	clauses, ids, filters, query, text int // of what is searched for; query and text in bytes
	neighbours                         float64
}

// place is where a value stands.
type place struct {
	depth  int    // objects and arrays around it
	part   string // the member of the request
	key    string // the member that it is the value of, or in the list of
	listed bool
	asked  bool // in what is searched for
	own    bool // in a custom filter, but not in a query within
}

// strain returns an error for a request beyond the limits that can be checked without
// reading it as bleve does, or with more after it, and nothing for one that is no JSON.
func (l Limits) strain(body []byte) error {
	s := strainer{Decoder: json.NewDecoder(bytes.NewReader(body)), depth: l.Depth}
	switch err := s.value(place{}); {
	case errors.As(err, new(*Exceeded)):
		return err
	case err != nil:
		return nil
	}
	if err := strict.End(s.Decoder, body); err != nil {
		return hits.Wrong(err)
	}
	filters := 0
	if s.filters > 0 {
		filters = perFilter << min(s.filters, 20)
	}
	bytes := max(over(s.query, queryPerClause), over(s.text, textPerClause))
	return cmp.Or(
		within("clauses", l.Clauses, max(s.clauses, filters, over(s.ids, idsPerClause), bytes)),
		within("hits", l.Hits, s.neighbours),
	)
}

// value counts a value with all that is in it.
func (s *strainer) value(in place) error {
	token, err := s.Token()
	if err != nil {
		return err
	}
	s.count(token, &in)
	if token != json.Delim('{') && token != json.Delim('[') {
		return nil
	}
	in.depth++
	if in.depth > deepest {
		return errors.New("exceeded max depth") // as json.Unmarshal will say
	}
	if err := within("depth", s.depth, in.depth); err != nil {
		return err
	}
	for s.More() {
		next := in
		if next.listed = token == json.Delim('['); !next.listed {
			name, err := s.Token()
			if err != nil {
				return err
			}
			next.enter(name.(string))
		}
		if err := s.value(next); err != nil {
			return err
		}
	}
	_, err = s.Token()
	return err
}

// enter makes the place of an object the place of one of its members.
func (in *place) enter(key string) {
	switch {
	case in.depth == 1:
		in.part, in.asked = key, key == "query" || key == "knn"
	case in.key == "custom_filter":
		in.own = key != "query"
	}
	in.key = key
}

// count counts a value that begins.
func (s *strainer) count(token json.Token, in *place) {
	if !in.asked {
		return
	}
	is := func(key string) bool { return strings.EqualFold(in.key, key) }
	if in.listed && is("ids") {
		s.ids++
		return
	}
	if in.listed && !(in.part == "knn" && is("vector")) || token == json.Delim('{') {
		s.clauses++
	}
	if !in.listed && (is("custom_filter") || is("custom_score")) {
		s.filters++
	}
	switch token := token.(type) {
	case string:
		switch {
		case is("query"):
			s.query += len(token)
		case !in.own:
			s.text += len(token)
		}
	case float64:
		if in.part == "knn" && in.depth == 3 && is("k") {
			s.neighbours += math.Abs(token)
		}
	}
}
