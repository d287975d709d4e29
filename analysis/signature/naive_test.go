package signature_test

import (
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/analysis/signature/signaturetest"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// naive makes the signature of values, each given as its folded tokens, by taking
// one step after another over the whole document.
func naive(p signature.Params, values ...[]string) signature.Signature {
	key := token.NewKey(p.Seed)
	windows, features := shingle.NewWindows(p.Width, p.Seed), shingle.NewWindows(p.SimhashWidth, p.Seed)
	s := signature.Signature{Params: p.ID()}
	distinct := map[string]struct{}{}
	var prints, feats []uint64
	var exact uint64
	for _, words := range values {
		var hashes []uint64
		var bytes []byte
		for _, word := range words {
			h := key.Hash([]byte(word))
			hashes = append(hashes, h)
			bytes = binary.LittleEndian.AppendUint64(bytes, h)
		}
		if len(words) > 0 {
			exact += xxhash.Sum64(bytes) | 1
		}
		s.Tokens += uint64(len(words))
		prints = windows.Append(prints, hashes)
		feats = features.Append(feats, hashes)
		for one := range signaturetest.Shingles(words, p.Width) {
			distinct[one] = struct{}{}
		}
	}
	if s.Tokens > 0 {
		s.Exact = token.Fold(exact, token.Mix(p.Seed, 7)|1)
	}
	if p.SimhashWeight != signature.WeightCount {
		slices.Sort(feats)
		feats = slices.Compact(feats)
	}
	s.Simhash = signaturetest.Simhash(feats)
	s.Shingles = uint64(len(distinct))
	if s.Shingles > 0 {
		builder := sketch.NewBuilder(p.Lanes, p.Seed)
		builder.Add(prints)
		builder.Finish(prints)
		s.Lanes, s.Sketch = p.Lanes, builder.Append(nil)
	}
	return s
}

// words returns n of the first so many words of a made-up language.
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

// layout writes words as different text: other case, white space, punctuation.
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

// hashed stands for the tokens of a text in naive shingles: their hashes, which
// package token holds against its own oracle.
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

// several are parameters of all kinds: shingles wider and narrower than features,
// lanes that fill no whole word.
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
	}
}
