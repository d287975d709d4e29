package signature_test

import (
	"encoding"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

var (
	_ encoding.BinaryAppender    = (*signature.Signature)(nil)
	_ encoding.BinaryMarshaler   = (*signature.Signature)(nil)
	_ encoding.BinaryUnmarshaler = (*signature.Signature)(nil)
	_ encoding.TextAppender      = (*signature.Signature)(nil)
	_ encoding.TextMarshaler     = (*signature.Signature)(nil)
	_ encoding.TextUnmarshaler   = (*signature.Signature)(nil)
)

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(91, 92))
	all := []signature.Signature{{}, {Params: 1, Exact: 1, Simhash: 1, Tokens: 1 << 63, Shingles: 0}}
	for _, p := range several() {
		for _, n := range []int{0, 1, 3, 20, 1000} {
			all = append(all, signature.Of(p, plain(words(rnd, n, 1<<20))))
		}
	}
	for _, s := range all {
		prefix := []byte("kept")
		binary, err := s.AppendBinary(prefix)
		if err != nil || string(binary[:4]) != "kept" {
			t.Fatalf("got %x, %v", binary, err)
		}
		got := signature.Signature{Params: 99, Sketch: []uint64{1}, Lanes: 4}
		if err := got.UnmarshalBinary(binary[4:]); err != nil {
			t.Fatal(err)
		}
		checkEqual(t, "binary", got, s)
		clear(binary)
		checkEqual(t, "binary, after its bytes were used again", got, s)

		text, err := s.AppendText(prefix)
		if err != nil || string(text[:4]) != "kept" {
			t.Fatalf("got %q, %v", text, err)
		}
		got = signature.Signature{Params: 99}
		if err := got.UnmarshalText(text[4:]); err != nil {
			t.Fatal(err)
		}
		checkEqual(t, "text", got, s)

		inJSON, err := json.Marshal(&s)
		if err != nil || string(inJSON) != `"`+string(text[4:])+`"` {
			t.Fatalf("got %s, %v", inJSON, err)
		}
		if err := json.Unmarshal(inJSON, &got); err != nil {
			t.Fatal(err)
		}
		checkEqual(t, "JSON", got, s)
	}
}

// A usual document takes 131 bytes: the figure in the codec's comment.
func TestStoredSize(t *testing.T) {
	t.Parallel()
	s := signature.Of(signature.DefaultParams(), plain(words(rand.New(rand.NewPCG(1, 2)), 450, 1<<20)))
	binary, _ := s.MarshalBinary()
	text, _ := s.MarshalText()
	if len(binary) != 131 || len(text) != 175 {
		t.Errorf("got %d bytes, %d as text", len(binary), len(text))
	}
}

const goldenText = "Don't panic: 3.14 naïve cafés sell ΣΊΣΥΦΟΣ's rolling stone_ware; 日本語のテキスト and soft\u00adware, v1.2, to no one."

// A signature that lacks lanes which it claims is never stored: what stood in the memory behind would pass for lanes.
func TestLacksLanes(t *testing.T) {
	t.Parallel()
	for _, sketch := range [][]uint64{nil, make([]uint64, 12), make([]uint64, 12, 20)} {
		s := signature.Signature{Lanes: 100, Shingles: 5, Sketch: sketch}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d words of %d are stored as 100 lanes", len(sketch), cap(sketch))
				}
			}()
			s.MarshalBinary()
		}()
	}
}
