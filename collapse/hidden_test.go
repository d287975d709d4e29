package collapse_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/explain"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

var hiddenHits = flag.Int("hidden", 0, "print so many hidden hits of three corpora, for a person to read")

// hidden is a hidden hit: with the default rule, or with Verify at .8, or with both.
type hidden struct {
	corpus, head, id string
	rule, verified   bool
	member           collapse.Member
}

// TestHidden prints hidden hits drawn at random, with their heads and what only one of the two texts says.
// examples/docs/measured.md has what a reader found.
//
//	NEARDUP_DATA=DIRECTORY go test -run TestHidden -hidden 500 -v ./collapse
func TestHidden(t *testing.T) {
	if *hiddenHits == 0 {
		t.Skip("nothing to print without -hidden")
	}
	corpora := []string{"docs-versions/docs.jsonl.gz", "enron-spam/docs.jsonl.gz", "licenses/spdx_npm.jsonl.gz"}
	number := 0
	for i, corpus := range corpora {
		rnd := rand.New(rand.NewPCG(17, uint64(i)))
		docs := neartest.Docs(t, corpus)
		all := hiddenOf(t, rnd, corpus, docs)
		rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		take := *hiddenHits / len(corpora)
		if i < *hiddenHits%len(corpora) {
			take++
		}
		texts := map[string]string{}
		for _, d := range docs {
			texts[d.ID] = d.Text
		}
		fmt.Printf("# %s: %d documents, %d hidden hits, of which %d are drawn\n", corpus, len(docs), len(all), min(take, len(all)))
		for _, h := range all[:min(take, len(all))] {
			number++
			h.print(number, texts)
		}
	}
}

// hiddenOf returns the hidden hits of a thousand searches for two words of a document.
func hiddenOf(t *testing.T, rnd *rand.Rand, corpus string, docs []neartest.Doc) (all []*hidden) {
	t.Helper()
	pages := map[string]page{}
	for _, d := range docs {
		pages[d.ID] = page{Body: d.Text}
	}
	x := newIndex(t, pages)
	found := map[[2]string]*hidden{}
	for range 1000 {
		words := strings.Fields(docs[rnd.IntN(len(docs))].Text)
		if len(words) < 2 {
			continue
		}
		match := bleve.NewMatchQuery(words[rnd.IntN(len(words))] + " " + words[rnd.IntN(len(words))])
		match.SetField("body")
		for _, v := range []signature.Verify{{}, {Resemblance: .8}} {
			res, err := collapse.Search(context.Background(), x, bleve.NewSearchRequest(match), collapse.Options{Verify: v, Explain: &explain.Options{Members: 3, Shingles: 60}})
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range res.Groups {
				for _, m := range g.Members[:min(3, len(g.Members))] {
					key := [2]string{g.Head.ID, m.ID}
					h := found[key]
					if h == nil {
						h = &hidden{corpus: corpus, head: g.Head.ID, id: m.ID, member: m}
						found[key] = h
					}
					h.rule, h.verified = h.rule || !v.On(), h.verified || v.On()
				}
			}
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b *hidden) int { return cmp.Or(strings.Compare(a.head, b.head), strings.Compare(a.id, b.id)) })
}

// print prints a hidden hit: whether the texts are equal after normalisation, or what each says alone.
func (h *hidden) print(n int, texts map[string]string) {
	fmt.Printf("%d\trule=%v verify=%v\t%s\t%s\t%d lanes", n, h.rule, h.verified, h.head, h.id, h.member.Agree)
	if h.member.By&signature.ByExact != 0 {
		fmt.Println("\tequal after normalisation")
		return
	}
	fmt.Println()
	short := func(s string, n int) string {
		s = strings.Join(strings.Fields(s), " ")
		return strings.ToValidUTF8(s[:min(len(s), n)], "")
	}
	fmt.Printf("\thead:   %s\n\thidden: %s\n", short(texts[h.head], 160), short(texts[h.id], 160))
	if e := h.member.Explanation; e != nil {
		for _, side := range []struct {
			mark string
			of   explain.Side
		}{{"-", e.Head}, {"+", e.Member}} {
			for _, p := range side.of.OwnText {
				fmt.Printf("\t%s %s\n", side.mark, short(p.Text, 300))
			}
		}
	}
}
