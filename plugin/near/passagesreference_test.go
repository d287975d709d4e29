package near_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// The worked examples of the literature, by hand: how many words of each stand in runs of w words of the other. Two texts whose
// shingles resemble each other by .25 consist of the same two passages.
func TestReference(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		width       int
		a, b        string
		inB, ofB    float64
		given, hits []near.Span // of the words; nil for none
	}{
		{4, "a rose is red a rose is white", "a rose is white a rose is red", 1, 1, []near.Span{{To: 8}}, []near.Span{{To: 4}, {From: 4, To: 8}}},
		{4, "a rose is a rose is a rose", "a rose is a flower which is a rose", 7. / 8, 4. / 9, []near.Span{{To: 7}}, []near.Span{{To: 4}}},
		{2, "Jack London traveled to Oakland", "Jack London traveled to the city of Oakland", 4. / 5, 4. / 8, []near.Span{{To: 4}}, []near.Span{{To: 4}}},
		{2, "Jack London traveled to Oakland", "Jack traveled from Oakland to London", 0, 0, nil, nil},
	} {
		x := newQuotingIndex(t, with(t, tt.width, func(_ *mapping.FieldMapping, config map[string]any) { config["width"] = tt.width }))
		add(t, x, map[string]doc{"b": {values: []string{tt.b}}})
		res := passagesIn(t, x, near.PassagesRequest{Query: near.PassagesQuery{Text: []string{tt.a}}})
		if tt.given == nil {
			if len(res.Hits) != 0 {
				t.Errorf("%q: got %+v", tt.a, res.Hits)
			}
			continue
		}
		if len(res.Hits) != 1 || res.Hits[0].InHit.Value != tt.inB || res.Hits[0].OfHit.Value != tt.ofB {
			t.Errorf("%q: got %+v, want %v and %v", tt.a, res.Hits, tt.inB, tt.ofB)
			continue
		}
		words := func(spans []near.Span) (all []near.Span) {
			for _, s := range spans {
				all = append(all, near.Span{From: s.From, To: s.To})
			}
			return all
		}
		h := res.Hits[0]
		joined := words(h.Own) // two passages that adjoin are one part of a text
		if len(tt.hits) == 2 {
			joined = nil
			for _, p := range h.Passages {
				joined = append(joined, words([]near.Span{p.Own})...)
			}
			slices.SortFunc(joined, func(a, b near.Span) int { return a.From - b.From })
		}
		if !slices.Equal(words(h.Given), tt.given) || !slices.Equal(joined, tt.hits) {
			t.Errorf("%q: got %v and %v, want %v and %v", tt.a, words(h.Given), joined, tt.given, tt.hits)
		}
	}
}

// McCormick's articles, of which parts of 30 to 200 words are copied into others: each article that a part is of is found, with the
// whole part, and no article that has no such passage. signature.TestPlagiarism finds copies of whole articles.
func TestPlagiarism(t *testing.T) {
	t.Parallel()
	const least = 30
	rnd := rand.New(rand.NewPCG(51, 52))
	docs := map[string]doc{}
	for _, d := range neartest.FirstDocs(t, "mccormick-plagiarism/docs_1000.jsonl.gz", 200) {
		docs[d.ID] = doc{values: []string{d.Text}}
	}
	x := newQuotingIndex(t, with(t, least))
	add(t, x, docs)
	o := newQuotingOracle(least, docs)
	ids := sorted(docs)
	for range 40 {
		var essay []string
		var parts [][2]string
		for range 1 + rnd.IntN(3) {
			own, source := strings.Fields(docs[ids[rnd.IntN(len(ids))]].values[0]), ids[rnd.IntN(len(ids))]
			rnd.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] }) // quotingWords of somebody's own
			words := strings.Fields(docs[source].values[0])
			n := min(len(words), 30+rnd.IntN(170))
			from := rnd.IntN(len(words) - n + 1)
			part := strings.Join(words[from:from+n], " ")
			essay = append(essay, strings.Join(own[:min(len(own), 60)], " "), strings.ToUpper(part))
			parts = append(parts, [2]string{source, part})
		}
		text := []string{strings.Join(essay, "\n")}
		res := passagesIn(t, x, near.PassagesRequest{Query: near.PassagesQuery{Text: text, MaxShare: 1}, Size: 1000})
		o.check(t, "an essay", res, text, "", docs)
		for _, p := range parts {
			n := len(quotingWords([]string{p[1]})[0])
			found := slices.ContainsFunc(res.Hits, func(h near.PassagesHit) bool {
				return h.ID == p[0] && slices.ContainsFunc(h.Passages, func(q near.Passage) bool { return q.Words >= n })
			})
			if n >= least && !found {
				t.Errorf("a part of %d words of %s is not found", n, p[0])
			}
		}
	}
}
