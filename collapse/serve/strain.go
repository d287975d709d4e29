package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// bleve parses a query before any timeout holds, and in two cases in quadratic time:
// queries within queries, which each level reads again down to the innermost, and
// query strings, whose lexer adds byte by byte to a word. 100 KB of the one were
// measured to take 9 s, 200 KB of the other 17 s. So a Handler bounds both first.
const (
	maxDepth       = 100    // objects and arrays within each other
	maxQueryString = 10_000 // bytes of a query string, a quarter of a second
)

// strain returns an error for a request beyond these bounds, and nothing for one that
// is no JSON.
func strain(body []byte) error {
	dec := json.NewDecoder(bytes.NewReader(body))
	var open []byte // the brackets
	var key string
	value := false // within an object, the key was read
	for {
		token, err := dec.Token()
		if err != nil {
			return nil
		}
		if s, ok := token.(string); ok && len(open) > 0 && open[len(open)-1] == '{' && !value {
			key, value = s, true
			continue
		}
		switch token := token.(type) {
		case json.Delim:
			if token == '}' || token == ']' {
				open = open[:len(open)-1]
				break
			}
			if open = append(open, byte(token)); len(open) > maxDepth {
				return fmt.Errorf("wanted at most %d objects and arrays within each other, got more", maxDepth)
			}
		case string:
			if len(token) > maxQueryString && strings.EqualFold(key, "query") {
				return fmt.Errorf("query: wanted a query string of at most %d bytes, got %d", maxQueryString, len(token))
			}
		}
		value = false
	}
}
