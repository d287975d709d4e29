package signature

import (
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// The hash is that of the numbers of each value in ASCII digits, whichever way the tokens come.
func TestNumberHash(t *testing.T) {
	t.Parallel()
	const seed = 7
	hash := func(values ...string) (sum uint64) {
		for _, v := range values {
			d := xxhash.NewWithSeed(seed)
			d.WriteString(v)
			sum += d.Sum64() | 1
		}
		return token.Fold(sum, token.Mix(seed, 9)|1)
	}
	n := newNumberHash(seed)
	if _, ok := n.Hash(); ok {
		t.Error("nothing has a number")
	}
	n.Text([]byte("a 1,000 b007\n\u0663 c"))
	n.EndValue()
	n.Text([]byte("none"))
	n.EndValue()
	n.Text([]byte("5"))
	n.EndValue()
	if got, ok := n.Hash(); !ok || got != hash("1000 007 3 ", "5 ") || got != hash("5 ", "1000 007 3 ") {
		t.Errorf("got %x, %v", got, ok)
	}
	n.Reset()
	for _, term := range []string{"12", "word", "x34", "56", "78"} {
		n.Wait([]byte(term))
	}
	n.Keep(0, 2)
	n.Keep(3, 4)
	n.Keep(4, 5)
	n.EndValue()
	if got, ok := n.Hash(); !ok || got != hash("12 56 78 ") {
		t.Errorf("of what stays: got %x, %v", got, ok)
	}
	var none *numberHash
	none.Text([]byte("1"))
	none.Keep(0, 1)
	none.EndValue()
	none.Mix(nil, nil, 0)
	none.Reset()
}
