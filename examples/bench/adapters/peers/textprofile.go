package main

import (
	"cmp"
	"crypto/md5"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/neardup/bleve-neardup/examples/bench/adapters/internal/lines"
)

// textProfile is Solr's TextProfileSignature, from its documentation, with the defaults quantRate .01 and minTokenLen
// 2. Counts of words are rounded down to multiples of a quantum; rarer words do not count; profiles are equal or not.
func textProfile(docs iter.Seq[lines.Document], _ float64, w lines.Writer) error {
	return grouped(docs, w, profile)
}

func profile(text string) (sum [md5.Size]byte) {
	counts, most := map[string]int{}, 0
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len([]rune(word)) > 2 { // Solr passes over tokens of minTokenLen, too
			counts[word]++
			most = max(most, counts[word])
		}
	}
	quantum := int(math.Round(float64(most) * .01))
	if quantum < 2 {
		quantum = min(most, 2)
	}
	for word, n := range counts {
		if counts[word] = n / max(1, quantum) * quantum; counts[word] < quantum {
			delete(counts, word)
		}
	}
	words := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], cmp.Compare(a, b)) })
	h := md5.New()
	for _, word := range words {
		fmt.Fprintf(h, "%s %d\n", word, counts[word])
	}
	return [md5.Size]byte(h.Sum(nil))
}
