package signature_test

import (
	"fmt"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// Texts found by searching for lanes that agree by chance under the default seed, as anyone
// who reads the source can do, agree under another seed no more than any other texts.
func TestSecretSeed(t *testing.T) {
	t.Parallel()
	public, secret := signature.DefaultParams(), signature.DefaultParams()
	secret.Seed = 0x9e3779b97f4a7c15
	type agreement struct {
		lane  int
		value uint8
	}
	const n = 3000 // texts of four words, without a word in common
	first := map[agreement]int{}
	var under [2][n]signature.Signature
	found, kept := 0, 0
	for i := range n {
		text := fmt.Appendf(nil, "a%d b%d c%d d%d", i, i, i, i)
		under[0][i], under[1][i] = signature.Of(public, text), signature.Of(secret, text)
		for lane := range public.Lanes {
			key := agreement{lane, under[0][i].Sketch.Lane(lane)}
			j, ok := first[key]
			if !ok {
				first[key] = i
				continue
			}
			found++
			if under[1][i].Sketch.Lane(lane) == under[1][j].Sketch.Lane(lane) {
				kept++
			}
		}
	}
	if found < 3000 || kept > found/128 { // by chance a 256th of them agrees under any seed
		t.Errorf("%d lanes agree under the default seed, of these %d under another", found, kept)
	}
	t.Logf("%d lanes agree under the default seed, of these %d under another", found, kept)
}
