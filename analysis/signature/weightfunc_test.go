package signature_test

import (
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// weighed is the name of lengths, a function of tests.
const weighed signature.Weight = "lengths of tests"

// lengths gives a feature its length, but for some that do not count, and less if it occurs often.
func lengths(feature []byte, n int) uint32 { return uint32((len(feature) + 20/n) % 7) }

func init() {
	if err := signature.RegisterWeight(string(weighed), lengths); err != nil {
		panic(err)
	}
}

func TestRegisterWeight(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		f    signature.WeightFunc
		want string
	}{
		{"", lengths, `wanted a name for the function, got ""`},
		{"Länge", lengths, `wanted a name of printable ASCII, got "Länge"`},
		{"log", lengths, `wanted a name other than ["distinct" "count" "log"], got "log"`},
		{string(weighed), lengths, `wanted a name that is not registered yet, got "lengths of tests"`},
		{"none", nil, `simhash_weight "none": wanted a function, got nil`},
	} {
		if err := signature.RegisterWeight(tt.name, tt.f); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: got %v, want %s", tt.name, err, tt.want)
		}
	}
	if signature.Weight("none").Function() != nil || weighed.Function() == nil || weighed.Validate() != nil {
		t.Error("what was not registered is a function, or what was is not")
	}
	// Functions of other names make signatures that do not match.
	p, q := signature.DefaultParams(), signature.DefaultParams()
	p.SimhashWeight = weighed
	text := []byte("one two three four five six seven eight")
	a, b := signature.Of(p, text), signature.Of(q, text)
	if (signature.Rule{}).Duplicates(&a, &b) {
		t.Error("signatures of two weights match")
	}
}
