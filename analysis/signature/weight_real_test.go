package signature_test

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

var allWeights = flag.Bool("weights.all", false, "TestWeightsOnCorpora compares all weights of features on all corpora")

// idf is log2(n/df) in quarters of a bit, for the features that are in most of n documents:
// as many as fit in 32 KB, if most is not 0. Other features count as those of one document.
type idf struct {
	n  float64
	df map[uint64]int
}

func learnIDF(shingles [][]uint64, most int) idf {
	df := map[uint64]int{}
	for _, features := range shingles {
		for _, f := range features {
			df[f]++
		}
	}
	var common []uint64
	for f, n := range df {
		if n > 1 {
			common = append(common, f)
		}
	}
	slices.SortFunc(common, func(a, b uint64) int {
		if df[a] != df[b] {
			return df[b] - df[a]
		}
		return cmp.Compare(a, b)
	})
	t := idf{float64(len(shingles)), map[uint64]int{}}
	for i, f := range common {
		if most == 0 || i < most {
			t.df[f] = df[f]
		}
	}
	return t
}

func (t idf) simhash(features []uint64) uint64 {
	var c simhash.Counter
	for _, f := range features {
		c.AddWeighted(f, 1+uint32(math.Round(4*math.Log2(t.n/float64(max(1, t.df[f]))))))
	}
	return c.Sum()
}

// What each weight of features finds within 3 bits on text, and what it brings together. The
// truth is the exact resemblance of the sets of 4-shingles; pairs below .5 are in no list.
func TestWeightsOnCorpora(t *testing.T) {
	if !*allWeights {
		t.Skip("compares all pairs of documents of five corpora: see -weights.all")
	}
	for _, tt := range []struct{ name, docs, pairs string }{
		{"LLVM manuals", "llvm-docs-versions/docs.jsonl.gz", "llvm-docs-versions/natural.tsv.gz"},
		{"manuals, versions", "docs-versions/docs.jsonl.gz", "docs-versions/natural.tsv.gz"},
		{"mails", "enron-spam/docs.jsonl.gz", "enron-spam/natural.tsv.gz"},
		{"English web text", "plain-en/docs.jsonl.gz", "plain-en/natural.tsv.gz"},
		{"text messages", "sms-spam/docs.jsonl.gz", "sms-spam/natural.tsv.gz"},
	} {
		docs, pairs := neartest.Docs(t, tt.docs), naturalPairs(t, tt.pairs)
		equal := map[string]bool{} // documents whose set of shingles an earlier one has
		for _, p := range pairs {
			if p.J == 1 {
				equal[p.B] = true
			}
		}
		var ids []string
		var shingles [][]uint64
		weights := []signature.Weight{signature.WeightDistinct, signature.WeightCount, signature.WeightLog}
		simhashes := map[string][]uint64{}
		makers := make([]*signature.Maker, len(weights))
		for i, w := range weights {
			p := signature.DefaultParams()
			p.SimhashWeight = w
			makers[i] = newMaker(t, p)
		}
		for _, d := range docs {
			if equal[d.ID] {
				continue
			}
			makers[0].Text([]byte(d.Text))
			own := slices.Clone(makers[0].Shingles())
			makers[0].Reset()
			if len(own) < 9 {
				continue
			}
			ids, shingles = append(ids, d.ID), append(shingles, own)
			for i, m := range makers {
				m.Text([]byte(d.Text))
				simhashes[string(weights[i])] = append(simhashes[string(weights[i])], m.Signature().Simhash)
			}
		}
		names := []string{"distinct", "count", "log", "idf", "idf, 32 KB"}
		for name, most := range map[string]int{"idf": 0, "idf, 32 KB": 32 << 10 / 10} {
			table := learnIDF(shingles, most)
			for _, own := range shingles {
				simhashes[name] = append(simhashes[name], table.simhash(own))
			}
		}
		resemblance := map[[2]string]float64{}
		have := map[string]bool{}
		for _, id := range ids {
			have[id] = true
		}
		var total [2]int // of pairs from .8 on, and from .9 on
		for _, p := range pairs {
			if p.J == 1 || !have[p.A] || !have[p.B] {
				continue
			}
			resemblance[[2]string{p.A, p.B}], resemblance[[2]string{p.B, p.A}] = p.J, p.J
			if p.J >= .8 {
				total[0]++
			}
			if p.J >= .9 {
				total[1]++
			}
		}
		for _, name := range names {
			var found [2]int
			var wrong [2]int // below .5, and from .5 to .8
			of := simhashes[name]
			for i, a := range of {
				for j, b := range of[:i] {
					if bits.OnesCount64(a^b) > (signature.Rule{}).Bits() {
						continue
					}
					switch r := resemblance[[2]string{ids[i], ids[j]}]; {
					case r < .5:
						wrong[0]++
					case r < .8:
						wrong[1]++
					default:
						found[0]++
						if r >= .9 {
							found[1]++
						}
					}
				}
			}
			recall := func(k int) string { return fmt.Sprintf("%.2f", float64(found[k])/float64(max(1, total[k]))) }
			t.Logf("%s, %d documents: %s: recall from .8 and .9 on: %s %s; %d pairs below .5, %d below .8",
				tt.name, len(ids), name, recall(0), recall(1), wrong[0], wrong[1])
			if name == string(signature.WeightDistinct) && wrong[0] > 0 {
				t.Errorf("%s: with distinct features %d pairs below .5 are within 3 bits, want none", tt.name, wrong[0])
			}
		}
	}
}
