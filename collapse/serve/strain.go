package serve

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
)

// bleve parses a query before any timeout holds, and in two cases in quadratic time:
// queries within queries, which each level reads again down to the innermost, and
// query strings, whose lexer adds byte by byte to a word. 100 KB of the one were
// measured to take 9 s, 200 KB of the other 17 s. So what can be counted in JSON is
// counted before.

// strainer counts what stands in a request, token by token.
type strainer struct {
	limits Limits
	open   []level
	part   string // the member of the request that is read

	clauses, ids, filters, text int
	neighbours                  float64
}

// level is an object or array that is not closed yet.
type level struct {
	array bool
	key   string // the member that is read, or of which the array is the value
	value bool   // the key was read
}

// strain returns an error for a request beyond the limits that can be told without
// reading it as bleve does, and nothing for one that is no JSON.
func (l Limits) strain(body []byte) error {
	s := strainer{limits: l}
	dec := json.NewDecoder(bytes.NewReader(body))
	for {
		token, err := dec.Token()
		if err != nil {
			return nil
		}
		if err := s.take(token); err != nil {
			return err
		}
	}
}

// take counts a token.
func (s *strainer) take(token json.Token) error {
	in := len(s.open) - 1
	if key, ok := token.(string); ok && in >= 0 && !s.open[in].array && !s.open[in].value {
		s.open[in].key, s.open[in].value = key, true
		if in == 0 {
			s.part = key
		}
		if s.asked() {
			return s.count(key, true)
		}
		return nil
	}
	if d, ok := token.(json.Delim); ok && (d == '}' || d == ']') {
		s.open = s.open[:in]
		s.read()
		return nil
	}
	var key string
	if in >= 0 {
		key = s.open[in].key
	}
	if s.asked() {
		if err := s.value(token, key); err != nil {
			return err
		}
	}
	if d, ok := token.(json.Delim); ok {
		s.open = append(s.open, level{array: d == '[', key: key})
		return within("depth", s.limits.Depth, len(s.open))
	}
	if text, ok := token.(string); ok && strings.EqualFold(key, "query") {
		if err := within("query_string", s.limits.QueryString, len(text)); err != nil {
			return err
		}
	}
	s.read()
	return nil
}

// read notes that a value is at its end.
func (s *strainer) read() {
	if in := len(s.open) - 1; in >= 0 {
		s.open[in].value = false
	}
}

// asked reports whether a token belongs to what is searched for.
func (s *strainer) asked() bool { return s.part == "query" || s.part == "knn" }

// count counts the text of a key or a string, and custom filters.
func (s *strainer) count(text string, key bool) error {
	s.text += len(text)
	if err := within("text", s.limits.Text, s.text); err != nil {
		return err
	}
	if key && (strings.EqualFold(text, "custom_filter") || strings.EqualFold(text, "custom_score")) {
		s.filters++
		return within("filters", s.limits.Filters, s.filters)
	}
	return nil
}

// value counts a value that begins, of the member named or in its list.
func (s *strainer) value(token json.Token, key string) error {
	listed := s.open[len(s.open)-1].array
	switch {
	case listed && strings.EqualFold(key, "ids"):
		s.ids++
		return within("ids", s.limits.IDs, s.ids)
	case listed && s.part == "knn" && strings.EqualFold(key, "vector"):
	case listed || token == json.Delim('{'):
		s.clauses++
		if err := within("clauses", s.limits.Clauses, s.clauses); err != nil {
			return err
		}
	}
	switch token := token.(type) {
	case string:
		return s.count(token, false)
	case float64:
		if s.part == "knn" && len(s.open) == 3 && strings.EqualFold(key, "k") {
			s.neighbours += math.Abs(token)
			return within("neighbours", s.limits.Neighbours, int(min(s.neighbours, 1<<30)))
		}
	}
	return nil
}
