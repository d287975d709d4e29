package near_test

import (
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/plugin/near"
)

// The worked examples of the literature, by hand: how many words of each stand in runs of w words of the other. Two
// texts whose shingles resemble each other by .25 consist of the same two passages.
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
