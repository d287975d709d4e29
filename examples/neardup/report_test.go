package main

import (
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// "1.00" is said of equal texts alone: all lanes of a long text agree, too, if a word of it was changed.
func TestResembles(t *testing.T) {
	for _, tt := range []struct {
		by       signature.Reason
		verified bool
		value    float64
		want     string
	}{
		{signature.ByExact | signature.BySketch, false, 1, "1.00"},
		{signature.BySketch, false, 1, ">0.99"},
		{signature.BySketch, true, .9991, ">0.99"},
		{signature.BySketch, true, 1, "1.00"},
		{signature.BySketch, false, .99, "0.99"},
		{0, false, .5, "0.50"},
	} {
		m := near.Member{Match: signature.Match{By: tt.by}, Verified: tt.verified, Resemblance: tt.value}
		if got := resembles(m); got != tt.want {
			t.Errorf("%v, verified %t, %v: got %s, want %s", tt.by, tt.verified, tt.value, got, tt.want)
		}
	}
}
