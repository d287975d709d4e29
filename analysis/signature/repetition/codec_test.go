package repetition_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature/codec"
	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

func blank() neartest.Stored { return new(repetition.Counts) }

const spam = "buy cheap watches now\nbuy cheap watches now\n\nbuy cheap watches now and then\n\nbuy cheap watches now\nbuy cheap watches now"

func stored(tb testing.TB) []byte {
	tb.Helper()
	data, err := repetition.Of(4, []byte(spam)).MarshalBinary()
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// numbers returns the width and counts that no text of that width has.
func numbers(change map[int]uint64) []byte {
	all := make([]uint64, 1+12+3+6)
	all[0] = 4
	for i, n := range change {
		all[i] = n
	}
	return neartest.Uvarints(all...)
}

func badInputs(tb testing.TB) []neartest.Input {
	good := stored(tb)
	bad := func(name string, change map[int]uint64) neartest.Input {
		return neartest.Input{Name: name, Data: neartest.Seal(good[:6], numbers(change)), Err: codec.ErrMalformed}
	}
	// The second number is the size of the text, which can be anything.
	common := slices.DeleteFunc(neartest.BadInputs(good), func(in neartest.Input) bool {
		return strings.HasPrefix(in.Name, "a second length")
	})
	return append(
		common,
		bad("width 17", map[int]uint64{0: 17}), bad("width 2^64-1", map[int]uint64{0: math.MaxUint64}),
		bad("parameters of another width", map[int]uint64{0: 3}),
		bad("top token of no tokens", map[int]uint64{4: 1}), bad("distinct shingles of none", map[int]uint64{6: 1}),
		bad("duplicate lines of none", map[int]uint64{8: 1}), bad("duplicate paragraphs of none", map[int]uint64{11: 1}),
		neartest.Input{
			Name: "a number more", Data: neartest.Seal(good[:6], numbers(nil), []byte{0}), Err: codec.ErrMalformed,
		},
	)
}

func TestStored(t *testing.T) {
	if err := neartest.Reject(blank, badInputs(t)); err != nil {
		t.Error(err)
	}
	for _, in := range badInputs(t) {
		if got, err := repetition.Parse(base64.RawStdEncoding.EncodeToString(in.Data)); !errors.Is(err, in.Err) || got != (repetition.Counts{}) {
			t.Errorf("%s: got %+v, %v", in.Name, got, err)
		}
	}
	good := repetition.Of(4, []byte(spam)).Stored()
	for _, text := range []string{"", "=", good + "=", good[:9] + "\n" + good[9:], " " + good, good[:8], "{}", "\xff"} {
		if _, err := repetition.Parse(text); !errors.Is(err, codec.ErrMalformed) {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for i, d := range neartest.Shipped(t) {
		if i%50 != 0 {
			continue
		}
		for _, text := range []string{d.Text, "", strings.Repeat(d.Text, 3)} {
			want := repetition.Of(1+i/50%16, []byte(text))
			data, err := want.AppendBinary([]byte("kept"))
			var got repetition.Counts
			if err != nil || string(data[:4]) != "kept" || got.UnmarshalBinary(data[4:]) != nil || got != want {
				t.Errorf("got %+v, %v, want %+v", got, err, want)
			}
			if len(data) > 4+75 {
				t.Errorf("%d bytes of text: stored in %d bytes", len(text), len(data)-4)
			}
			// As a string in JSON.
			text, err := json.Marshal(want.Stored())
			var back string
			if err != nil || json.Unmarshal(text, &back) != nil {
				t.Fatal(err)
			}
			if got, err := repetition.Parse(back); err != nil || got != want {
				t.Errorf("%s: got %+v, %v", text, got, err)
			}
			// As an object.
			text, err = json.Marshal(want)
			got = repetition.Counts{}
			if err != nil || json.Unmarshal(text, &got) != nil || got != want {
				t.Errorf("%s: got %+v, %v", text, got, err)
			}
		}
	}
}

// Stored bytes never change, unless the version does.
func TestGolden(t *testing.T) {
	t.Parallel()
	const want = "AYJ68FdyBHgWYQUTCQUDPwMBKy1VaSo0QkgAAH0N1fw"
	if got := repetition.Of(4, []byte(spam)).Stored(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func FuzzUnmarshalBinary(f *testing.F) {
	neartest.Fuzz(f, blank, stored(f), badInputs(f), func(t *testing.T, read neartest.Stored) {
		c := read.(*repetition.Counts)
		repetition.English().Exceeded(c.Figures())
		if again, err := repetition.Parse(c.Stored()); err != nil || again != *c {
			t.Errorf("got %+v, %v, want %+v", again, err, c)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add(repetition.Of(4, []byte(spam)).Stored())
	for _, in := range slices.Concat(badInputs(f)[:40], badInputs(f)[len(badInputs(f))-8:]) {
		f.Add(base64.RawStdEncoding.EncodeToString(in.Data))
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := repetition.Parse(text)
		if err == nil && c.Stored() != text {
			// A varint can be longer than it need be.
			if again, err := repetition.Parse(c.Stored()); err != nil || again != c {
				t.Errorf("%q: got %+v, %v, want %+v", text, again, err, c)
			}
		}
	})
}
