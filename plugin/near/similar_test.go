package near_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// fieldsOfTexts are the fields of which texts have values, one or several of them for a draw.
var fieldsOfTexts = [][]string{{"tenant"}, {"tags"}, {"price"}, {"public"}, {"date"}, {"kept"}, {"kept", "price", "tenant"}}

// rules are some that differ from the default.
var rules = []signature.Rule{
	{Mode: signature.SketchOnly, Lanes: 97}, {Lanes: 70}, {Mode: signature.Both}, {Mode: signature.SimhashOnly}, {Mode: signature.SketchOnly}, {Mode: signature.ExactOnly},
}

// drawn is a search with options that were drawn, and what it must find of all.
type drawn struct {
	near.SimilarRequest
	of    *text
	hits  []near.SimilarHit
	given bool // a text of the given document is known
}

func drawSimilar(rnd *rand.Rand, all []*text) (s drawn) {
	s.of = all[rnd.IntN(len(all))]
	q := &s.Query
	switch rnd.IntN(5) {
	case 0:
		q.Text, s.given = []string{s.of.String()}, true
	case 1:
		q.Signature = &s.of.sig
	case 2:
		q.Signature, q.Text, q.ID, s.given = &s.of.sig, []string{s.of.String()}, s.of.id, true
	case 3:
		q.Signature, q.ID = &s.of.sig, s.of.id
	default:
		q.ID, s.given = s.of.id, s.of.stored
	}
	q.Self = q.ID != "" && rnd.IntN(2) == 0
	if q.ID != "" && rnd.IntN(2) == 0 {
		q.Within = fieldsOfTexts[rnd.IntN(len(fieldsOfTexts))]
	}
	switch rnd.IntN(4) {
	case 0, 1:
		q.Verify = []signature.Verify{{Resemblance: .8}, {Contained: true}, {Resemblance: .9, Contained: true}}[rnd.IntN(3)]
		if q.Signature != nil && q.Text != nil && q.ID == "" {
			q.Text, s.given = nil, false
		}
	case 2:
		q.Rule = rules[rnd.IntN(len(rules))]
	}
	if q.Signature != nil && q.Text != nil && !q.Verify.On() {
		q.Text = nil // which is for Verify alone
	}
	q.Backend = append(backends, "")[rnd.IntN(3)]
	q.MaxShare = float64(rnd.IntN(2))
	if s.Size = 1000; rnd.IntN(3) == 0 {
		s.Size, s.From = 1+rnd.IntN(5), rnd.IntN(6)
	}
	if rnd.IntN(4) == 0 {
		filter := bleve.NewTermQuery("a")
		filter.SetField("tenant")
		s.Filter = filter
	}
	for _, x := range all {
		if x == s.of && q.ID != "" && !q.Self || len(q.Within) > 0 && !s.of.equal(x, q.Within) || s.Filter != nil && x.values["tenant"] != "a" {
			continue
		}
		if c := compare(q.Rule, q.Verify, s.of, x, s.given && x.stored); c.near {
			s.hits = append(s.hits, near.SimilarHit{
				Hit: near.Hit{ID: x.id, Verified: c.verified, InHit: c.inA, OfHit: c.inB}, Match: c.Match, Resemblance: c.share,
			})
		}
	}
	slices.SortFunc(s.hits, func(a, b near.SimilarHit) int {
		return cmp.Or(cmp.Compare(b.Resemblance.Value, a.Resemblance.Value), cmp.Compare(a.ID, b.ID))
	})
	return s
}

// sameHits compares hits but for the names of their indexes.
func sameHits(a, b []near.SimilarHit) bool {
	return slices.EqualFunc(a, b, func(x, y near.SimilarHit) bool {
		return x.ID == y.ID && x.Match == y.Match && x.Verified == y.Verified && same(x.Resemblance, y.Resemblance) && same(x.InHit, y.InHit) && same(x.OfHit, y.OfHit)
	})
}

// Similar and a query of bleve's find what loops over all texts find, best first, whatever the options: in one
// index, in one of many segments, in an alias, over HTTP, by both back ends, and by each way to give the document.
func TestSimilar(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(81, 82))
	all := relatives(rnd, 200)
	one, many, halves := indexed(t, rnd, all)
	indexes := map[string]bleve.Index{
		"one": one, "many": many, "alias": bleve.NewIndexAlias(halves...), "remote": bleve.NewIndexAlias(halves[0], remote(t, halves[1])),
	}
	found, confirmed, rest := 0, 0, 0
	for n := range 300 {
		s := drawSimilar(rnd, all)
		q := s.Query
		from := min(s.From, len(s.hits))
		want := s.hits[from:min(from+s.Size, len(s.hits))]
		for place, x := range indexes {
			if place == "remote" && slices.Contains(q.Within, "date") || place != "one" && n%3 > 0 {
				continue // a remote index gives the date of a document as text
			}
			r, err := near.Similar(t.Context(), x, s.SimilarRequest)
			if err != nil {
				t.Fatalf("%d: %s, %+v: %v", n, place, q, err)
			}
			eq := r.TotalRelation == bleve.TotalRelationEq
			if int(r.Total) != len(s.hits) || !sameHits(r.Hits, want) || !q.Verify.On() && eq == (place == "remote" && q.MaxShare != 1) {
				t.Fatalf("%d: %s, %+v: got %d %s hits\n%+v\nwant %d\n%+v", n, place, q, r.Total, r.TotalRelation, r.Hits, len(s.hits), want)
			}
		}
		if found += len(s.hits); q.Verify.On() {
			confirmed += len(slices.DeleteFunc(slices.Clone(s.hits), func(h near.SimilarHit) bool { return !h.Verified || h.Agree >= 90 }))
		}
		if s.Filter != nil {
			continue
		}
		rest++
		var ids []string
		for _, hit := range s.hits {
			ids = append(ids, hit.ID)
		}
		if got := nearIDs(t, many, &q); !slices.Equal(got, slices.Sorted(slices.Values(ids))) {
			t.Fatalf("%d: a query %+v: got %q, want %q", n, q, got, ids)
		}
	}
	if found < 300 || confirmed < 15 || rest < 50 {
		t.Errorf("%d found, %d of them by texts alone, in %d queries: this test shows little", found, confirmed, rest)
	}
}
