package serve

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"strings"

	"github.com/neardup/bleve-neardup/internal/idquery"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// bleve parses a query before any timeout holds, and in two cases in quadratic time:
// queries within queries, which each level reads again down to the innermost, and
// query strings, whose lexer adds byte by byte to a word. 100 KB of the one were
// measured to take 9 s, 200 KB of the other 17 s. So what can be counted in JSON is
// counted before.

// strainer counts what stands in a request, token by token.
type strainer struct {
	open []level
	part string // the member of the request that is read

	depth, queryString, clauses, ids, filters, text int
	neighbours                                      float64
}

// level is an object or array that is not closed yet.
type level struct {
	array bool
	key   string // the member that is read, or of which the array is the value
	value bool   // the key was read
}

// strain returns an error for a request beyond the limits that can be checked without
// reading it as bleve does, or with more after it, and nothing for one that is no JSON.
func (l Limits) strain(body []byte) error {
	var s strainer
	dec := json.NewDecoder(bytes.NewReader(body))
	for {
		token, err := dec.Token()
		if err == nil {
			s.take(token)
			if len(s.open) > 0 {
				continue
			}
			if err = strict.End(dec, body); err != nil {
				return refusal{err}
			}
		}
		return cmp.Or(
			within("depth", l.Depth, s.depth), within("query_string", l.QueryString, s.queryString),
			within("filters", l.Filters, s.filters), within("clauses", l.Clauses, s.clauses), within("ids", l.IDs, s.ids),
			within("text", l.Text, s.text), within("neighbours", l.Neighbours, int(min(s.neighbours, 1<<30))),
		)
	}
}

// take counts a token.
func (s *strainer) take(token json.Token) {
	in := len(s.open) - 1
	switch token := token.(type) {
	case string:
		if in >= 0 && !s.open[in].array && !s.open[in].value {
			s.name(token)
			return
		}
	case json.Delim:
		if token == '}' || token == ']' {
			s.open = s.open[:in]
			s.read()
			return
		}
	}
	s.begin(token)
}

// name counts the name of a member.
func (s *strainer) name(key string) {
	in := len(s.open) - 1
	s.open[in].key, s.open[in].value = key, true
	if in == 0 {
		s.part = key
	}
	if !s.asked() {
		return
	}
	s.text += len(key)
	if strings.EqualFold(key, "custom_filter") || strings.EqualFold(key, "custom_score") {
		s.filters++
	}
}

// begin counts a value, or the begin of one.
func (s *strainer) begin(token json.Token) {
	var key string
	if in := len(s.open) - 1; in >= 0 {
		key = s.open[in].key
	}
	if s.asked() {
		s.value(token, key)
	}
	switch token := token.(type) {
	case json.Delim:
		s.open = append(s.open, level{array: token == '[', key: key})
		s.depth = max(s.depth, len(s.open))
		return
	case string:
		if strings.EqualFold(key, "query") {
			s.queryString = max(s.queryString, len(token))
		}
	}
	s.read()
}

// read notes that a value is at its end.
func (s *strainer) read() {
	if in := len(s.open) - 1; in >= 0 {
		s.open[in].value = false
	}
}

// asked reports whether a token belongs to what is searched for.
func (s *strainer) asked() bool {
	filter := s.part == "collapse" && len(s.open) > 1 && strings.EqualFold(s.open[1].key, "filter")
	return s.part == "query" || s.part == "knn" || filter
}

// value counts a value that begins, of the member named or in its list.
func (s *strainer) value(token json.Token, key string) {
	listed := s.open[len(s.open)-1].array
	if in := len(s.open) - 2; in >= 0 && s.open[in].array && s.open[in].key == idquery.Member {
		return // of an id that is not UTF-8
	}
	if listed && (strings.EqualFold(key, "ids") || strings.EqualFold(key, idquery.Member)) {
		s.ids++
		return
	}
	vector := listed && s.part == "knn" && strings.EqualFold(key, "vector")
	if !vector && (listed || token == json.Delim('{')) {
		s.clauses++
	}
	switch token := token.(type) {
	case string:
		s.text += len(token)
	case float64:
		s.number(token, key)
	}
}

// number counts the neighbours that are asked for.
func (s *strainer) number(n float64, key string) {
	if s.part == "knn" && len(s.open) == 3 && strings.EqualFold(key, "k") {
		s.neighbours += math.Abs(n)
	}
}
