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

// A usual document takes 230 bytes: the figure in the codec's comment.
func TestStoredSize(t *testing.T) {
	t.Parallel()
	s := signature.Of(signature.DefaultParams(), plain(words(rand.New(rand.NewPCG(1, 2)), 450, 1<<20)))
	binary, _ := s.MarshalBinary()
	text, _ := s.MarshalText()
	if len(binary) != 230 || len(text) != 307 {
		t.Errorf("got %d bytes, %d as text", len(binary), len(text))
	}
}

const goldenText = "Don't panic: 3.14 naïve cafés sell ΣΊΣΥΦΟΣ's rolling stone_ware; 日本語のテキスト and soft\u00adware, v1.2, to no one."

// Stored bytes never change, unless the format's version does, nor do the tokens, the
// hashes, the fingerprints and the lanes.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		params signature.Params
		want   string
	}{
		{signature.DefaultParams(), "Aq0EjJPRgwR/pcgnQfVmI5SKc4ZXGhRkRmx3PdN55SG2dTvdXQu1OqnA7z3vTy+38kNReR8noOnoywXhH1QmDHrCWM0Wg6SJU5pG5Onp7WEOdQJx" +
			"0dX7FRg286PPpLDmMT54QN/nHe18YFvpPHDlIhN88xwHVTZMwMCKQle8EDYQ113kvyjKb3k6+M9gdrRRcn/zyLbMFmzp0kt7zLnM08sn4hXMtrgR2" +
			"kP6UomnXW0WhDPLS8bAOBMWuamJtPz6t790Osy8r82ULlbeD9lPwK8QuUHiOE8yVwlo8oFnmqQtMmdP"},
		{signature.Params{Width: 2, Lanes: 16, SimhashWidth: 1, Seed: 42}, "Ahf+gN4PWXTQV4h91JAWkKAcNEh6GhgQEWg0gQaUiHmWuNCRDwPRpkE5awFYB7NIJI9D/Hhre43rLkoi"},
	} {
		s := signature.Of(tt.params, []byte(goldenText), []byte("a second value"))
		if got, err := s.MarshalText(); err != nil || string(got) != tt.want {
			t.Errorf("%+v: got %s, %v, want %s", tt.params, got, err, tt.want)
		}
	}
}

func TestParamsIDGolden(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		params signature.Params
		want   uint32
	}{
		{signature.DefaultParams(), 0x938c04ad},
		{signature.Params{Width: 5, Lanes: 200, SimhashWidth: 1, Seed: 42, Tokens: "whitespace"}, 0x27b7d3aa},
	} {
		if got := tt.params.ID(); got != tt.want {
			t.Errorf("%+v: got %#x, want %#x", tt.params, got, tt.want)
		}
	}
}

func BenchmarkCodec(b *testing.B) {
	s := signature.Of(signature.DefaultParams(), plain(words(rand.New(rand.NewPCG(1, 2)), 450, 1<<20)))
	text, _ := s.MarshalText()
	buf := make([]byte, 0, len(text))
	b.Run("AppendText", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.AppendText(buf[:0]); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("UnmarshalText", func(b *testing.B) {
		b.ReportAllocs()
		var got signature.Signature
		for b.Loop() {
			if err := got.UnmarshalText(text); err != nil {
				b.Fatal(err)
			}
		}
	})
}
