package signature_test

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/internal/rabin"
	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// naive makes the signature of values, each given as its folded tokens, one step after
// another over the whole document.
func naive(p signature.Params, values ...[]string) signature.Signature {
	key := token.NewKey(p.Seed)
	s := signature.Signature{Params: p.ID()}
	var elements, features []uint64
	copies, occurrences, numbers := map[string]int{}, map[string]int{}, map[string]uint64{}
	var exact uint64
	for _, words := range values {
		var bytes []byte
		for _, word := range words {
			bytes = binary.LittleEndian.AppendUint64(bytes, key.Hash([]byte(word)))
		}
		if len(words) > 0 {
			exact += xxhash.Sum64(bytes) | 1
		}
		s.Tokens += uint64(len(words))
		for i, f := range fingerprints(p, p.Width, words) {
			one := strings.Join(words[i:i+p.Width], " ")
			copies[one]++
			if n := copies[one]; n == 1 || p.Bag {
				elements = append(elements, spread(p, label(p, f, n)))
			}
		}
		for i, f := range fingerprints(p, p.SimhashWidth, words) {
			one := strings.Join(words[i:i+p.SimhashWidth], " ")
			before := weight(p, occurrences[one])
			occurrences[one]++
			numbers[one] = spread(p, f)
			if p.SimhashWeight.Function() == nil {
				features = append(features, slices.Repeat([]uint64{numbers[one]}, weight(p, occurrences[one])-before)...)
			}
		}
	}
	if p.SimhashWeight.Function() != nil {
		for one, f := range numbers {
			features = append(features, slices.Repeat([]uint64{f}, int(lengths([]byte(one), occurrences[one])))...)
		}
	}
	if s.Tokens > 0 {
		s.Exact = token.Fold(exact, token.Mix(p.Seed, 7)|1)
	}
	s.Simhash = neartest.Simhash(features)
	s.Shingles = uint64(len(elements))
	if s.Shingles > 0 {
		builder := sketch.NewBuilder(p.Lanes, p.Seed)
		builder.Add(elements)
		builder.Finish(elements)
		s.Lanes, s.Sketch = p.Lanes, builder.Append(nil)
	}
	if p.Numbers == signature.NumbersEqual {
		mixNumbers(&s, p.Seed, values...)
	}
	return s
}

// fingerprints makes the fingerprint of each window of words from nothing but its words.
func fingerprints(p signature.Params, width int, words []string) (all []uint64) {
	key := token.NewKey(p.Seed)
	polynomial := shingle.NewWindows(width, p.Seed)
	one := polynomial.Append
	if degree(p) > 0 {
		one = rabin.NewWindows(rabin.Random(degree(p), p.Seed), width).Append
	}
	for i := 0; i+width <= len(words); i++ {
		var hashes []uint64
		for _, word := range words[i : i+width] {
			hashes = append(hashes, key.Hash([]byte(word)))
		}
		switch p.Fingerprint {
		case signature.XXHash64:
			digest := xxhash.NewWithSeed(p.Seed)
			digest.WriteString(strings.Join(words[i:i+width], " "))
			all = append(all, digest.Sum64())
		default:
			all = one(all, hashes)
		}
	}
	return all
}

// degree returns the degree of Rabin's polynomial, or 0 for other fingerprints.
func degree(p signature.Params) int {
	return map[signature.Fingerprint]int{signature.Rabin64: 64, signature.Rabin40: 40}[p.Fingerprint]
}

// label returns the fingerprint of the n-th copy of a shingle.
func label(p signature.Params, f uint64, n int) uint64 {
	switch {
	case n == 1:
		return f
	case degree(p) == 40:
		return token.Mix(f, uint64(n)) >> 24
	}
	return token.Mix(f, uint64(n))
}

// spread returns the number that stands for a fingerprint in sketch and simhash.
func spread(p signature.Params, f uint64) uint64 {
	if degree(p) > 0 {
		return rabin.Mix(f)
	}
	return f
}

// weight returns the weight of a feature that occurs n times.
func weight(p signature.Params, n int) int {
	switch p.SimhashWeight {
	case signature.WeightCount:
		return n
	case signature.WeightLog:
		return bits.Len(uint(n)) // 1 + log2(n), rounded down
	}
	return min(n, 1)
}

// words returns n words, drawn from the first so many words of a made-up language.
func words(rnd *rand.Rand, n, vocabulary int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = word(rnd.IntN(vocabulary))
	}
	return all
}

func word(i int) string {
	const syllables = "bacidofugepalekimonuro"
	var b strings.Builder
	for i++; i > 0; i /= 11 {
		b.WriteString(syllables[2*(i%11) : 2*(i%11)+2])
	}
	return b.String()
}

// layout writes words as a different text: other case, white space, punctuation.
func layout(rnd *rand.Rand, words []string) []byte {
	separators := []string{" ", "\n", "\t ", ", ", ". ", " - ", "; ", "\r\n\r\n* ", " (", ") ", "/", "—", "… ", "\u3000", `" `, " & ", " ☺ ", " ' "}
	var b strings.Builder
	for _, w := range words {
		switch rnd.IntN(4) {
		case 0:
			w = strings.ToUpper(w)
		case 1:
			w = strings.ToUpper(w[:1]) + w[1:]
		}
		b.WriteString(w)
		b.WriteString(separators[rnd.IntN(len(separators))])
	}
	return []byte(b.String())
}

func plain(words []string) []byte { return []byte(strings.Join(words, " ")) }

func newMaker(tb testing.TB, p signature.Params) *signature.Maker {
	tb.Helper()
	m, err := signature.NewMaker(p)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func checkEqual(tb testing.TB, what string, got, want signature.Signature) {
	tb.Helper()
	if !reflect.DeepEqual(got, want) {
		tb.Fatalf("%s: got %+v, want %+v", what, got, want)
	}
}

// hashed returns the hashes of the tokens of a text, for naive shingles. Package token
// compares these hashes with an oracle of its own.
func hashed(text []byte, p signature.Params) (tokens []string) {
	scanner := token.NewScanner(token.NewKey(p.Seed))
	scanner.Reset(text)
	buf := make([]uint64, 4*token.MaxBlock)
	for {
		n := scanner.Next(buf)
		if n == 0 {
			return tokens
		}
		for _, h := range buf[:n] {
			tokens = append(tokens, strconv.FormatUint(h, 36))
		}
	}
}

// several returns parameters of all kinds: shingles wider and narrower than features,
// numbers of lanes that fill no whole word, all fingerprints.
func several() []signature.Params {
	return []signature.Params{
		signature.DefaultParams(),
		{Width: 4, Lanes: 100, SimhashWidth: 4, Seed: 1 << 60},
		{Width: 1, Lanes: 16, SimhashWidth: 16},
		{Width: 16, Lanes: 101, SimhashWidth: 1, Seed: 3},
		{Width: 3, Lanes: 200, SimhashWidth: 2},
		{Width: 4, Lanes: 100, SimhashWidth: 4, SimhashWeight: signature.WeightCount},
		{Width: 5, Lanes: 64, SimhashWidth: 2, SimhashWeight: signature.WeightCount},
		{Width: 10, Lanes: 1024, SimhashWidth: 10, Tokens: "other"},
		{Width: 4, Lanes: 100, SimhashWidth: 4, Fingerprint: signature.XXHash64},
		{Width: 3, Lanes: 100, SimhashWidth: 16, Fingerprint: signature.XXHash64, Seed: 5, Bag: true, SimhashWeight: signature.WeightLog},
		{Width: 4, Lanes: 100, SimhashWidth: 4, Fingerprint: signature.Rabin64, Bag: true},
		{Width: 10, Lanes: 100, SimhashWidth: 1, Fingerprint: signature.Rabin40, SimhashWeight: signature.WeightCount},
		{Width: 4, Lanes: 100, SimhashWidth: 4, Bag: true, SimhashWeight: signature.WeightLog},
		{Width: 4, Lanes: 100, SimhashWidth: 4, SimhashWeight: weighed},
		{Width: 3, Lanes: 100, SimhashWidth: 5, SimhashWeight: weighed, Seed: 13, Fingerprint: signature.Rabin40, Bag: true},
		{Width: 5, Lanes: 64, SimhashWidth: 1, SimhashWeight: weighed, Fingerprint: signature.XXHash64},
		{Width: 4, Lanes: 100, SimhashWidth: 4, Numbers: signature.NumbersEqual},
		{Width: 2, Lanes: 101, SimhashWidth: 3, Numbers: signature.NumbersEqual, Seed: 11, SimhashWeight: signature.WeightCount},
		{Width: 3, Lanes: 50, SimhashWidth: 3, Numbers: signature.NumbersEqual, Seed: 12, Fingerprint: signature.XXHash64},
		{Width: 3, Lanes: 99, SimhashWidth: 3, Numbers: signature.NumbersEqual, Fingerprint: signature.Rabin40, Bag: true},
	}
}
