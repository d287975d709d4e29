package component

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

func TestValues(t *testing.T) {
	for _, n := range []any{4, int64(4), 4.0, json.Number("4")} {
		r := New("c", map[string]any{"type": "c", "n": n})
		if got := r.Int("n", 1, 0, 9); got != 4 || r.Err() != nil {
			t.Errorf("Int of %T: got %d, %v", n, got, r.Err())
		}
	}
	for _, n := range []any{uint64(1<<63 + 1), "9223372036854775809", "0x8000000000000001", json.Number("9223372036854775809")} {
		r := New("c", map[string]any{"n": n})
		if got := r.Uint64("n"); got != 1<<63+1 || r.Err() != nil {
			t.Errorf("Uint64 of %T %v: got %d, %v", n, n, got, r.Err())
		}
	}
	for _, n := range []any{7, int64(7), 7.0, "7"} {
		r := New("c", map[string]any{"n": n})
		if got := r.Uint64("n"); got != 7 || r.Err() != nil {
			t.Errorf("Uint64 of %T: got %d, %v", n, got, r.Err())
		}
	}
	for _, l := range []any{[]string{"a", "b"}, []any{"a", "b"}} {
		r := New("c", map[string]any{"l": l})
		if got := r.Strings("l"); !slices.Equal(got, []string{"a", "b"}) || r.Err() != nil {
			t.Errorf("Strings of %T: got %v, %v", l, got, r.Err())
		}
	}
}

func TestAbsent(t *testing.T) {
	for _, values := range []map[string]any{nil, {}, {"n": nil, "s": nil, "l": nil, "c": nil, "b": nil}} {
		r := New("c", values)
		if r.Int("n", 5, 0, 9) != 5 || r.Uint64("u") != 0 || r.String("s") != "" || r.Bool("b") || r.Strings("l") != nil ||
			Choice(r, "c", "x", "x", "y") != "x" || r.Err() != nil {
			t.Errorf("%v: not the defaults, or %v", values, r.Err())
		}
		if p := New("c", values).Params(); values == nil && p != signature.DefaultParams() {
			t.Errorf("got %+v", p)
		}
	}
}

func TestParams(t *testing.T) {
	for _, f := range signature.Fingerprints() {
		for _, w := range []signature.Weight{signature.WeightDistinct, signature.WeightCount, signature.WeightLog} {
			for _, bag := range []bool{false, true} {
				r := New("c", map[string]any{
					"width": 3, "lanes": 200, "simhash_width": 2, "simhash_weight": string(w), "fingerprint": string(f), "bag": bag, "seed": 9,
				})
				want := signature.Params{Width: 3, Lanes: 200, SimhashWidth: 2, SimhashWeight: w, Fingerprint: f, Bag: bag, Numbers: signature.NumbersAny, Seed: 9}
				if got := r.Params(); got != want || r.Err() != nil || got.Validate() != nil {
					t.Errorf("got %+v, %v, want %+v", got, r.Err(), want)
				}
			}
		}
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		values map[string]any
		want   string
	}{
		{map[string]any{"width": 0}, `comp: width: wanted a whole number from 1 to 16, got int "0"`},
		{map[string]any{"width": 17.0}, `comp: width: wanted a whole number from 1 to 16, got float64 "17"`},
		{map[string]any{"width": 2.5}, `comp: width: wanted a whole number from 1 to 16, got float64 "2.5"`},
		{map[string]any{"width": "4"}, `comp: width: wanted a whole number from 1 to 16, got string "4"`},
		{map[string]any{"width": json.Number("4x")}, `got json.Number "4x"`},
		{map[string]any{"lanes": 15}, `comp: lanes: wanted a whole number from 16 to 1024, got int "15"`},
		{map[string]any{"simhash_width": []any{}}, `comp: simhash_width: wanted a whole number`},
		{map[string]any{"simhash_weight": "tf"}, `comp: simhash_weight: wanted one of ["distinct" "count" "log"], or the name of a function that signature.RegisterWeight got before, got string "tf"`},
		{map[string]any{"simhash_weight": 1}, `comp: simhash_weight: wanted one of ["distinct" "count" "log"], or the name of a function that signature.RegisterWeight got before, got int "1"`},
		{map[string]any{"fingerprint": "rabin"}, `comp: fingerprint: wanted one of ["polynomial" "xxhash64" "rabin64" "rabin40"], got string "rabin"`},
		{map[string]any{"fingerprint": ""}, `comp: fingerprint: wanted one of`},
		{map[string]any{"numbers": "none"}, `comp: numbers: wanted one of ["any" "equal"], got string "none"`},
		{map[string]any{"numbers": true}, `comp: numbers: wanted one of ["any" "equal"], got bool "true"`},
		{map[string]any{"bag": "true"}, `comp: bag: wanted true or false, got string "true"`},
		{map[string]any{"bag": 1.0}, `comp: bag: wanted true or false, got float64 "1"`},
		{map[string]any{"seed": -1}, `comp: seed: wanted a number from 0 to 2^53, or a string`},
		{map[string]any{"seed": 1e300}, `comp: seed:`},
		{map[string]any{"seed": "five"}, `got string "five"`},
		{map[string]any{"list": "x"}, `comp: list: wanted a list of strings, got string "x"`},
		{map[string]any{"list": []any{1}}, `comp: list: wanted a list of strings, got []interface {} "[1]"`},
		{map[string]any{"choice": "z"}, `comp: choice: wanted one of ["a" "b"], got string "z"`},
		{map[string]any{"text": 1}, `comp: text: wanted a string, got int "1"`},
		{map[string]any{"widht": 4}, `comp: widht: wanted one of the keys bag, choice, fingerprint, lanes, list, numbers, seed, simhash_weight, simhash_width, text, type, width, got this one with int "4"`},
	} {
		r := New("comp", tt.values)
		r.Params()
		r.Numbers()
		r.Strings("list")
		Choice(r, "choice", "a", "a", "b")
		r.String("text")
		if err := r.Err(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: got error %v, want %s", tt.values, err, tt.want)
		}
	}
}
