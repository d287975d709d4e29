package signature_test

import (
	"math/bits"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

// Every third mail of a corpus of ham and spam: how many pairs within 3 bits have almost
// nothing in common, by weight. Repeated lines make the difference.
func TestWeightsOnMail(t *testing.T) {
	if testing.Short() {
		t.Skip("compares all pairs of 11,000 mails")
	}
	t.Parallel()
	docs := neartest.Docs(t, "enron-spam/docs.jsonl.gz")
	wrong := map[signature.Weight]int{}
	for _, w := range []signature.Weight{signature.WeightDistinct, signature.WeightCount, signature.WeightLog} {
		p := signature.DefaultParams()
		p.SimhashWeight = w
		var all []signature.Signature
		var simhashes []uint64
		for i := 0; i < len(docs); i += 3 {
			if s := signature.Of(p, []byte(docs[i].Text)); s.Shingles > 0 {
				all = append(all, s)
				simhashes = append(simhashes, s.Simhash)
			}
		}
		pairs := 0
		for i, a := range simhashes {
			for j, b := range simhashes[:i] {
				if bits.OnesCount64(a^b) > (signature.Rule{}).Bits() || all[i].Exact == all[j].Exact {
					continue
				}
				pairs++
				if r, _ := all[i].Resemblance(&all[j]); r.Value < .5 {
					wrong[w]++
				}
			}
		}
		t.Logf("%s: %d mails, %d pairs, %d of them of an estimated resemblance below .5", w, len(all), pairs, wrong[w])
	}
	if wrong[signature.WeightDistinct] > 0 || wrong[signature.WeightLog] > wrong[signature.WeightCount] {
		t.Errorf("got %v, want none for distinct features, and for logarithms no more than for counts", wrong)
	}
}
