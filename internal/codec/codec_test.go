package codec_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/internal/codec"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// The layout, byte by byte.
func TestLayout(t *testing.T) {
	t.Parallel()
	data := codec.Begin([]byte("kept"), codec.Bottom, 3, 0x04030201)
	data = binary.LittleEndian.AppendUint64(data, 0x1122334455667788)
	data = codec.Seal(data, 4)
	want := []byte("\x03\x01\x02\x03\x04b\x88\x77\x66\x55\x44\x33\x22\x11")
	want = binary.LittleEndian.AppendUint32(want, uint32(xxhash.Sum64(want)))
	if got := string(data); got != "kept"+string(want) {
		t.Errorf("got %x, want %x", got, want)
	}
}

func TestID(t *testing.T) {
	t.Parallel()
	if got, want := codec.ID('x', 2, 1<<63), uint32(xxhash.Sum64String("x\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80")); got != want {
		t.Errorf("got %08x, want %08x", got, want)
	}
	ids := map[uint32]string{}
	for _, k := range []codec.Kind{codec.Lanes, codec.Bottom, codec.Modm, codec.Supershingle} {
		for _, numbers := range [][]uint64{nil, {0}, {1}, {0, 0}, {0, 1}, {1, 0}, make([]uint64, 20)} {
			name := fmt.Sprint(k, numbers)
			if other, ok := ids[codec.ID(k, numbers...)]; ok {
				t.Errorf("%s has the ID of %s", name, other)
			}
			ids[codec.ID(k, numbers...)] = name
		}
	}
}

func TestReader(t *testing.T) {
	t.Parallel()
	content := slices.Concat(neartest.Uvarints(5, math.MaxUint64), make([]byte, 8), []byte("ab"))
	data := neartest.Seal([]byte("\x01\x01\x02\x03\x04b"), content)
	r := codec.Open(data, codec.Bottom, 1)
	a, b, c, d := r.Uvarint("a", 5, 5), r.Uvarint("b", 0, math.MaxUint64), r.Uint64("c"), r.Bytes("d", 2, 1)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if r.Params != 0x04030201 || a != 5 || b != math.MaxUint64 || c != 0 || string(d) != "ab" {
		t.Errorf("got %x, %d, %d, %d, %s", r.Params, a, b, c, d)
	}
}

func TestReaderErrors(t *testing.T) {
	t.Parallel()
	head := []byte("\x01\x01\x02\x03\x04b")
	numbers := make([]byte, 16)
	for _, tt := range []struct {
		name string
		data []byte
		read func(*codec.Reader)
		err  error
		text string
	}{
		{"nothing", nil, nil, codec.ErrMalformed, "bottom: length: wanted at least 10 bytes, got 0"},
		{"version", neartest.Seal([]byte("\x02")), nil, codec.ErrVersion, "bottom: version: wanted 1, got 2"},
		{"checksum", append(slices.Clone(head), "four"...), nil, codec.ErrMalformed, "bottom: checksum: wanted"},
		{"kind", neartest.Seal(head[:5], []byte("m")), nil, codec.ErrMalformed, "bottom: kind: wanted bottom, got modm"},
		{"unknown kind", neartest.Seal(head[:5], []byte{255}), nil, codec.ErrMalformed, "got kind 0xff"},
		{"rest", neartest.Seal(head, numbers), nil, codec.ErrMalformed, "bottom: length: wanted no more bytes, got 16"},
		{
			"varint", neartest.Seal(head, []byte{0x80}),
			func(r *codec.Reader) { r.Uvarint("n", 0, 9) }, codec.ErrMalformed, "bottom: n: wanted a varint, got 80",
		},
		{
			"varint with a needless byte", neartest.Seal(head, []byte{0x85, 0x00}),
			func(r *codec.Reader) { r.Uvarint("n", 0, 9) }, codec.ErrMalformed, "bottom: n: wanted the shortest varint of 5, got 8500",
		},
		{
			"least", neartest.Seal(head, []byte{1}),
			func(r *codec.Reader) { r.Uvarint("n", 2, 9) }, codec.ErrMalformed, "bottom: n: wanted 2 to 9, got 1",
		},
		{
			"most", neartest.Seal(head, []byte{10}),
			func(r *codec.Reader) { r.Uvarint("n", 2, 9) }, codec.ErrMalformed, "bottom: n: wanted 2 to 9, got 10",
		},
		{
			"numbers", neartest.Seal(head, numbers),
			func(r *codec.Reader) { r.Bytes("all", 1<<61+2, 8) }, codec.ErrMalformed, "bottom: all: wanted 2305843009213693954 of 8 bytes each, got 16 bytes",
		},
		{
			"check", neartest.Seal(head),
			func(r *codec.Reader) {
				r.Check(true, "a", "b")
				r.Check(false, "m", "a prime")
				r.Check(false, "c", "d")
			},
			codec.ErrMalformed, "bottom: m: wanted a prime",
		},
		{
			"after an error", neartest.Seal(head, []byte{1}, numbers),
			func(r *codec.Reader) {
				r.Uvarint("first", 2, 9)
				if r.Uvarint("n", 0, 9) != 0 || r.Uint64("x") != 0 || r.Bytes("all", 1, 1) != nil {
					t.Error("an error does not stop the reader")
				}
			},
			codec.ErrMalformed, "bottom: first: wanted 2 to 9, got 1",
		},
	} {
		r := codec.Open(tt.data, codec.Bottom, 1)
		if tt.read != nil {
			tt.read(&r)
		}
		if err := r.Close(); !errors.Is(err, tt.err) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.text)
		}
	}
}
