package collapse_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// size is how large a test is, which is less with -short: the race detector takes ten times as long.
func size(full, short int) int {
	if testing.Short() {
		return short
	}
	return full
}

// families makes documents in families of near-copies of several degrees, and
// some on their own.
func families(rnd *rand.Rand, n, words int) map[string]page {
	word := func() string { return fmt.Sprintf("w%d", rnd.IntN(500)) }
	docs := make(map[string]page, n)
	for len(docs) < n {
		text := make([]string, words)
		for i := range text {
			text[i] = word()
		}
		text[0] = "common"
		for range 1 + rnd.IntN(6) {
			copied := slices.Clone(text)
			for range rnd.IntN(4) * words / 100 {
				copied[1+rnd.IntN(words-1)] = word()
			}
			if rnd.IntN(3) == 0 {
				copied = append(copied, "common") // another score
			}
			docs[fmt.Sprintf("d%05d", rnd.IntN(100000))] = page{
				Body: strings.Join(copied, " "), Version: float64(rnd.IntN(4)), Project: fmt.Sprint("p", rnd.IntN(3)),
			}
		}
	}
	return docs
}
