package letters_test

import (
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/letters"
)

// Shingles of text are xxHash64 of each 3 letters: a space stands between two words, none between two
// ideographs, and no shingle has letters of two values.
func TestShingles(t *testing.T) {
	t.Parallel()
	var want []uint64
	for _, shingle := range []string{"ab ", "b c", " c ", "c 敏", " 敏捷", "xyz"} {
		want = append(want, xxhash.Sum64String(shingle))
	}
	s := letters.New(3, 0, nil)
	var got []uint64
	for _, value := range [][]string{{"ab", "c", "敏", "捷"}, {"x"}, {"xyz"}} {
		for _, term := range value {
			s.Add([]byte(term), func() { t.Error("few letters are no reason to make shingles") })
		}
		got = s.Append(got)
		s.EndValue()
	}
	if s.Width() != 3 || !slices.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
}
