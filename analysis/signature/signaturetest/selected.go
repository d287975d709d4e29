package signaturetest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
)

// Selected returns a function that says which fingerprints are selected of a document, by its number: these are as frequent as in
// mails. Documents have the fingerprints of mails, cut at 400 words, with passages of 50, drawn with replacement. A fingerprint of
// one mail stays that of one document; the others keep their share of the documents.
func Selected(tb testing.TB) func(doc int) []uint64 {
	tb.Helper()
	var mails [][]uint64
	held := map[uint64]int{}
	p := signature.DefaultParams()
	p.Passages = 50
	maker, err := signature.NewMaker(p)
	if err != nil {
		tb.Fatal(err)
	}
	for _, d := range Docs(tb, "enron-spam/docs.jsonl.gz") {
		words := strings.Fields(d.Text)
		if len(words) < 50 {
			continue
		}
		maker.Reset()
		maker.Text([]byte(strings.Join(words[:min(len(words), 400)], " ")))
		maker.EndValue()
		own := slices.Clone(maker.Passages().Values)
		mails = append(mails, own)
		for _, v := range own {
			held[v]++
		}
	}
	return func(doc int) []uint64 {
		rnd := rand.New(rand.NewPCG(uint64(doc), 71))
		own := slices.Clone(mails[rnd.IntN(len(mails))])
		for i, v := range own {
			if held[v] == 1 {
				own[i] = winnow.Print(rnd.Uint64())
			}
		}
		slices.Sort(own)
		return slices.Compact(own)
	}
}
