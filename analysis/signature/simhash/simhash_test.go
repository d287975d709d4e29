package simhash_test

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

func sum(features ...uint64) uint64 {
	var c simhash.Counter
	c.Add(features)
	return c.Sum()
}

func random(rnd *rand.Rand, n int) []uint64 {
	features := make([]uint64, n)
	for i := range features {
		features[i] = rnd.Uint64()
	}
	return features
}

func TestSum(t *testing.T) {
	t.Parallel()
	all := ^uint64(0)
	for _, tt := range []struct {
		name     string
		features []uint64
		want     uint64
	}{
		{"none", nil, 0},
		{"one", []uint64{0x123456789abcdef0}, 0x123456789abcdef0},
		{"a tie is 0", []uint64{0b1100, 0b1010}, 0b1000},
		{"all ties", []uint64{0, all}, 0},
		{"two of three", []uint64{0b1100, 0b1010, 0b0110}, 0b1110},
		{"a weight of 3 against 2", []uint64{0xf0, 0xf0, 0xf0, 0x0f, 0x0f}, 0xf0},
		{"a weight of 3 against 3", []uint64{0xf0, 0xf0, 0xf0, 0x0f, 0x0f, 0x0f}, 0},
	} {
		if got := sum(tt.features...); got != tt.want {
			t.Errorf("%s: got %x, want %x", tt.name, got, tt.want)
		}
	}
}

func TestSumRandom(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(31, 32))
	sizes := []int{511, 512, 513, 1000, 4095, 4096, 4097, 65536, 70001}
	for n := range 301 {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		features := random(rnd, n)
		if got, want := sum(features...), neartest.Simhash(features); got != want {
			t.Fatalf("%d features: got %x, want %x", n, got, want)
		}
	}
}

func TestAddInParts(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(35, 36))
	var c simhash.Counter
	for range 300 {
		features := random(rnd, rnd.IntN(400))
		for _, kind := range random(rnd, rnd.IntN(4)) { // votes far from half, and exactly at it
			features = append(features, slices.Repeat([]uint64{kind}, rnd.IntN(300))...)
		}
		rest := features
		for len(rest) > 0 {
			n := rnd.IntN(len(rest) + 1)
			c.Add(rest[:n])
			rest = rest[n:]
		}
		if got, want := c.Sum(), neartest.Simhash(features); got != want {
			t.Fatalf("%d features in parts: got %x, want %x", len(features), got, want)
		}
		if c.Sum() != sum(features...) {
			t.Fatal("Sum changed the counter")
		}
		c.Reset()
		if c.Sum() != 0 {
			t.Fatal("Reset left votes")
		}
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b uint64
		want int
	}{
		{0, 0, 0},
		{0, ^uint64(0), 64},
		{0b1011, 0b0001, 2},
		{1 << 63, 0, 1},
	} {
		if got := simhash.Distance(tt.a, tt.b); got != tt.want {
			t.Errorf("Distance(%x, %x) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestNoAllocations(t *testing.T) {
	features := random(rand.New(rand.NewPCG(1, 2)), 1000)
	var c simhash.Counter
	if n := testing.AllocsPerRun(10, func() {
		c.Reset()
		c.Add(features)
		c.Sum()
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// The first byte says where Add is split. The rest is features of 8 bytes each, which are
// repeated as often as the second byte says.
func FuzzSum(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x05\x03one.two.three.four.five"))
	f.Add(append([]byte{1, 200}, make([]byte, 80)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		var features []uint64
		split := 0
		if len(data) > 2 {
			copies := 1 + int(data[1])%40
			split = int(data[0])
			for data = data[2:]; len(data) >= 8; data = data[8:] {
				for range copies {
					features = append(features, binary.LittleEndian.Uint64(data))
				}
			}
		}
		split = min(split, len(features))
		var c simhash.Counter
		c.Add(features[:split])
		c.Add(features[split:])
		if got, want := c.Sum(), neartest.Simhash(features); got != want {
			t.Errorf("%d features: got %x, want %x", len(features), got, want)
		}
	})
}

func TestText(t *testing.T) {
	t.Parallel()
	for h, want := range map[uint64]string{
		0:                  "0000000000000000",
		0xf:                "000000000000000f",
		0x123456789abcdef0: "123456789abcdef0",
		^uint64(0):         "ffffffffffffffff",
	} {
		if got := simhash.Text(h); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
