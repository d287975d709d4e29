package ranking

import (
	"slices"
	"unicode/utf8"

	"github.com/blevesearch/bleve/v2/search"
)

// beforeID returns a key before all hits that have this one, and near it.
func beforeID(order search.SortOrder, key []string) []string {
	key = slices.Clone(key)
	for i, part := range order {
		if id, ok := part.(*search.SortDocID); ok && id.Desc {
			key[i] += "\x00"
		} else if ok {
			key[i] = before(key[i])
		}
	}
	return key
}

// before returns a string before s, with few ids between the two. If s is UTF-8, so is what it returns: JSON has
// no other strings.
func before(s string) string {
	r, size := utf8.DecodeLastRuneInString(s)
	rest := s[:len(s)-size]
	switch {
	case size == 0 || r == 0: // the one that is next to s
		return rest
	case r == utf8.RuneError && size == 1:
		return rest + string([]byte{s[len(s)-1] - 1, 0xff})
	case r == 0xe000: // after the surrogates
		r = 0xd800
	}
	return rest + string(r-1) + string(utf8.MaxRune)
}
