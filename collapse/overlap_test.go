package collapse_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/collapse"
)

// What the members' overlap says is near the truth, by four standard errors of 100
// lanes: of the half of a text under the whole, and the other way round.
func TestOverlap(t *testing.T) {
	t.Parallel()
	words := make([]string, 1003)
	for i := range words {
		words[i] = fmt.Sprint("word", i)
	}
	hits := search.DocumentMatchCollection{}
	for id, text := range map[string]string{"a whole": strings.Join(words, " "), "b half": strings.Join(words[:503], " ")} {
		sig := signature.Of(signature.DefaultParams(), []byte(text))
		stored, err := sig.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		hits = append(hits, &search.DocumentMatch{ID: id, Fields: map[string]any{signature.Field(signature.DefaultField).Sketch(): string(stored)}})
	}
	slices.SortFunc(hits, func(a, b *search.DocumentMatch) int { return strings.Compare(a.ID, b.ID) })
	for _, truth := range []struct{ inHead, ofHead float64 }{{1, .5}, {.5, 1}} {
		res, err := collapse.Hits(hits, collapse.Options{Rule: signature.Rule{Lanes: 25, Mode: signature.SketchOnly}})
		if err != nil {
			t.Fatal(err)
		}
		groups := res.Groups
		if len(groups) != 1 || len(groups[0].Members) != 1 {
			t.Fatalf("got %+v, want one group of two", groups)
		}
		o := groups[0].Members[0].Overlap
		for name, tt := range map[string]struct {
			got  sketch.Estimate
			want float64
		}{
			"resemblance": {o.Resemblance, .5}, "in head": {o.InHead, truth.inHead}, "of head": {o.OfHead, truth.ofHead},
		} {
			if math.Abs(tt.got.Value-tt.want) > 4*math.Sqrt(.5*.5/100) {
				t.Errorf("under %s, %s: got %v, want %v", groups[0].Head.ID, name, tt.got, tt.want)
			}
		}
		slices.Reverse(hits)
	}
}
