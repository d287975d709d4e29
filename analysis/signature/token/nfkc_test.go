package token

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/neardup/bleve-neardup/analysis/signature/internal/class"
)

// composites has the canonical compositions of two runes, without Hangul.
var composites = sync.OnceValue(func() map[[2]rune]rune {
	all := map[[2]rune]rune{}
	for r := rune(0x80); r < 0x20000; r++ {
		parts := []rune(norm.NFD.String(string(r)))
		if len(parts) < 2 || 0xac00 <= r && r < 0xd7a4 || !norm.NFC.IsNormalString(string(r)) {
			continue
		}
		last := len(parts) - 1
		all[[2]rune{[]rune(norm.NFC.String(string(parts[:last])))[0], parts[last]}] = r
	}
	return all
})

// naiveNFKC is the algorithm of UAX #15 word for word, for a text that has marks or is not normal.
func naiveNFKC(text []byte) []byte {
	if norm.NFKC.IsNormal(text) && !bytes.ContainsFunc(text, func(r rune) bool { return class.Order(r) > 0 }) {
		return text
	}
	var all []rune
	for _, r := range string(text) {
		all = append(all, []rune(norm.NFKD.String(string(r)))...)
	}
	for swapped := true; swapped; {
		swapped = false
		for i := 1; i < len(all); i++ {
			if a, b := class.Order(all[i-1]), class.Order(all[i]); a > b && b > 0 {
				all[i-1], all[i], swapped = all[i], all[i-1], true
			}
		}
	}
	for i := 1; i < len(all); {
		// The last starter before i from which i is not blocked.
		j := i - 1
		for j > 0 && class.Order(all[j]) > 0 && class.Order(all[j]) < class.Order(all[i]) {
			j--
		}
		r, ok := composites()[[2]rune{all[j], all[i]}]
		switch l, v := all[j]-0x1100, all[i]-0x1161; {
		case 0 <= l && l < 19 && 0 <= v && v < 21:
			r, ok = 0xac00+(l*21+v)*28, true
		}
		switch s, t := all[j]-0xac00, all[i]-0x11a7; {
		case 0 <= s && s < 11172 && s%28 == 0 && 0 < t && t < 28:
			r, ok = all[j]+t, true
		}
		if ok && class.Order(all[j]) == 0 {
			all[j] = r
			all = slices.Delete(all, i, i+1)
		} else {
			i++
		}
	}
	return []byte(string(all))
}

// Without many marks, a Form makes of a text what package norm makes of it.
func TestNFKC(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 8))
	for range 30000 {
		var b strings.Builder
		for range 1 + rnd.IntN(9) {
			r := rune(rnd.IntN(0x3200))
			switch rnd.IntN(4) {
			case 0:
				r = rune(0xa000 + rnd.IntN(0x6000))
			case 1:
				r = rune(0x300 + rnd.IntN(0x70))
			case 2:
				r = rune(0x1100 + rnd.IntN(0x100))
			}
			b.WriteRune(r)
		}
		text := b.String()
		if got, want := string(new(class.Form).Append(nil, []byte(text), nil)), norm.NFKC.String(text); got != want {
			t.Fatalf("%+q: got %+q, want %+q", text, got, want)
		}
	}
}

// With any number of marks, too, it is the algorithm of the standard; also in parts.
func TestNFKCManyMarks(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	for i := range 500 {
		text := manyMarks(rnd, 40+i%40)
		if got, want := string(new(class.Form).Append(nil, []byte(text), nil)), string(naiveNFKC([]byte(text))); got != want {
			t.Fatalf("%+q: got %+q, want %+q", text, got, want)
		}
	}
}

// The parts of a text are all of it, in order, and the result of each is that of the part alone.
func TestNFKCParts(t *testing.T) {
	t.Parallel()
	text := "a\u0301\u0316b ｆﬁ 각\u11a8 e" + strings.Repeat("\u0316\u0301", 40) + "\u1112\u1161\u11ab ﾊﾟ x"
	var from, in []int
	var form class.Form
	all := form.Append(nil, []byte(text), func(i, start, end int) {
		if len(from) > 0 && from[len(from)-1] != start || end <= start {
			t.Errorf("a part from %d to %d after %d", start, end, from)
		}
		from, in = append(from, start, end), append(in, i)
	})
	for i := range in {
		part, end := text[from[2*i]:from[2*i+1]], append(in, len(all))[i+1]
		if got, want := string(new(class.Form).Append(nil, []byte(part), nil)), string(all[in[i]:end]); got != want {
			t.Errorf("%+q: got %+q alone, %+q in the text", part, got, want)
		}
	}
	if len(in) < 10 || from[len(from)-1] != len(text) {
		t.Errorf("got %d parts, the last until %d of %d", len(in), from[len(from)-1], len(text))
	}
}
