package near_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// text is a document of the tests of Verify.
type text struct {
	words  []string
	stored bool
	sig    signature.Signature
	set    map[string]struct{}
}

func newText(words []string, stored bool) *text {
	x := &text{words: words, stored: stored, set: neartest.Shingles(words, 4)}
	if len(words) < 4 {
		x.set = map[string]struct{}{strings.Join(words, " "): {}}
	}
	x.sig = signature.Of(signature.DefaultParams(), []byte(x.String()))
	return x
}

func (x *text) String() string { return strings.Join(x.words, " ") }

// relatives are texts that resemble each other more or less, excerpts and texts of a few words among
// them; some are not stored.
func relatives(rnd *rand.Rand, n int) map[string]*text {
	all, word := map[string]*text{}, 0
	fresh := func() string { word++; return fmt.Sprint("w", word) }
	var base []string
	for i := range n {
		if i%40 == 0 {
			base = nil
			for range 100 + rnd.IntN(200) {
				base = append(base, fresh())
			}
		}
		own := slices.Clone(base)
		switch rnd.IntN(8) {
		case 0:
			own = own[:len(own)*(60+rnd.IntN(40))/100]
		case 1:
			own = own[:1+rnd.IntN(5)]
		default:
			for range rnd.IntN(len(own) / 25) {
				own[rnd.IntN(len(own))] = fresh()
			}
		}
		all[fmt.Sprintf("doc %03d", i)] = newText(own, rnd.IntN(5) > 0)
	}
	return all
}

func (x *text) doc() map[string]any {
	if x.stored {
		return map[string]any{"body": x.String()}
	}
	return map[string]any{"more": x.String()}
}

// verified is what a search with v must find of the documents that are near the given one: of all
// pairs, by the sets themselves. given has a text to compare, or none.
func verified(v signature.Verify, all map[string]*text, of *text, given bool, without string) (hits []near.SimilarHit) {
	for id, x := range all {
		if id == without {
			continue
		}
		h := near.SimilarHit{Hit: near.Hit{ID: id, Verified: given && x.stored}}
		h.Agree, h.Hamming = agreement(of, x)
		both := 0
		for s := range of.set {
			if _, ok := x.set[s]; ok {
				both++
			}
		}
		union := len(of.set) + len(x.set) - both
		rule := signature.Rule{}
		if h.Verified {
			rule.Lanes = min(90, v.Lanes(100))
			if v.Resemblance == 0 {
				rule.Lanes = 90
			}
			share := float64(both) / float64(union)
			if !(v.Resemblance > 0 && share >= v.Resemblance || v.Contained && both > 0 && (both == len(of.set) || both == len(x.set))) {
				continue
			}
			h.Resemblance = sketch.Estimate{Value: share}
			h.InHit, h.OfHit = sketch.Estimate{Value: float64(both) / float64(len(of.set))}, sketch.Estimate{Value: float64(both) / float64(len(x.set))}
		} else {
			h.Resemblance, _ = of.sig.Resemblance(&x.sig)
			h.InHit, h.OfHit, _ = of.sig.Containment(&x.sig)
		}
		if !neartest.Duplicates(rule, &of.sig, &x.sig) {
			continue
		}
		if of.sig.Exact == x.sig.Exact {
			h.By |= signature.ByExact
		}
		if of.sig.Lanes > 0 && x.sig.Lanes > 0 {
			if h.Agree >= rule.Need(100, 0) {
				h.By |= signature.BySketch
			}
			if h.Hamming <= 3 && of.sig.Simhash != 0 && x.sig.Simhash != 0 {
				h.By |= signature.BySimhash
			}
		}
		hits = append(hits, h)
	}
	slices.SortFunc(hits, func(a, b near.SimilarHit) int {
		return cmp.Or(cmp.Compare(b.Resemblance.Value, a.Resemblance.Value), cmp.Compare(a.ID, b.ID))
	})
	return hits
}

func agreement(a, b *text) (agree, hamming int) {
	if a.sig.Lanes > 0 && b.sig.Lanes > 0 {
		agree = neartest.Agree(a.sig.Sketch, b.sig.Sketch, 100)
	}
	for bits := a.sig.Simhash ^ b.sig.Simhash; bits != 0; bits &= bits - 1 {
		hamming++
	}
	return agree, hamming
}

// Search with Verify finds what the sets of shingles say, in one index, in an alias, over HTTP, by
// both back ends, and by each way to give the document.
func TestSimilarVerify(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(81, 82))
	all := relatives(rnd, 120)
	config := map[string]any{"agree": 55}
	one := texts(t, config, bleve.NewTextFieldMapping())
	parts := []bleve.Index{texts(t, config, bleve.NewTextFieldMapping()), texts(t, config, bleve.NewTextFieldMapping())}
	write, members := map[string]any{}, []map[string]any{{}, {}}
	n := 0
	for id, x := range all {
		write[id] = x.doc()
		members[n%2][id] = x.doc()
		n++
	}
	put(t, one, write)
	for i, part := range parts {
		put(t, part, members[i])
	}
	local, mixed := bleve.NewIndexAlias(parts...), bleve.NewIndexAlias(parts[0], remote(t, parts[1]))
	found, confirmed := 0, 0
	ids := slices.Sorted(maps.Keys(all))
	for n := range 9 {
		id := ids[rnd.IntN(len(ids))]
		x := all[id]
		v := []signature.Verify{{Resemblance: .8}, {Contained: true}, {Resemblance: .9, Contained: true}}[n/3] // in turn, as tables are kept for a few rules
		for name, q := range map[string]near.SimilarQuery{
			"id":                 {ID: id},
			"text":               {Text: []string{x.String()}},
			"signature":          {Signature: &x.sig},
			"signature and text": {Signature: &x.sig, Text: []string{x.String()}, ID: id, Self: true},
		} {
			given, without := x.stored, id
			switch name {
			case "text", "signature and text":
				given, without = true, ""
			case "signature":
				given, without = false, ""
			}
			q.Verify, q.Backend = v, backends[rnd.IntN(2)]
			want := verified(v, all, x, given, without)
			for place, index := range map[string]bleve.Index{"one": one, "alias": local, "remote": mixed} {
				r, err := near.Similar(context.Background(), index, near.SimilarRequest{Query: q, Size: 1000})
				if err != nil {
					t.Fatalf("%s, %s, %+v: %v", place, name, q, err)
				}
				for i := range r.Hits {
					r.Hits[i].Index = ""
				}
				if int(r.Total) != len(want) || len(want) > 0 && !equal(r.Hits, want) {
					t.Fatalf("%s of %q in %s, %+v, %s: got %d hits\n%+v\nwant\n%+v", name, id, place, v, q.Backend, r.Total, r.Hits, want)
				}
			}
			found += len(want)
			for _, h := range want {
				if h.Verified && h.Agree < 90 {
					confirmed++
				}
			}
		}
	}
	if confirmed < 20 {
		t.Errorf("%d found, %d of them by texts alone: this test shows little", found, confirmed)
	}
}

// equal compares hits; estimates may differ in the last bit.
func equal(a, b []near.SimilarHit) bool {
	near := func(x, y *sketch.Estimate) bool {
		same := math.Abs(x.Value-y.Value) < 1e-12 && math.Abs(x.StdErr-y.StdErr) < 1e-12
		*x, *y = sketch.Estimate{}, sketch.Estimate{}
		return same
	}
	a, b = slices.Clone(a), slices.Clone(b)
	for i := range min(len(a), len(b)) {
		x, y := &a[i], &b[i]
		if !near(&x.Resemblance, &y.Resemblance) || !near(&x.InHit, &y.InHit) || !near(&x.OfHit, &y.OfHit) {
			return false
		}
	}
	return reflect.DeepEqual(a, b)
}

// Nearest finds with Verify what Search has first.
func TestVerifyNearest(t *testing.T) {
	t.Parallel()
	all := relatives(rand.New(rand.NewPCG(83, 84)), 40)
	x := texts(t, nil, bleve.NewTextFieldMapping())
	write := map[string]any{}
	for id, one := range all {
		write[id] = one.doc()
	}
	put(t, x, write)
	v := signature.Verify{Resemblance: .8}
	var queries []near.SimilarQuery
	var wants []*near.SimilarHit
	for id, one := range all {
		queries = append(queries, near.SimilarQuery{Signature: &one.sig, Text: []string{one.String()}, ID: id, Verify: v})
		wants = append(wants, nil)
		if hits := verified(v, all, one, true, id); len(hits) > 0 {
			hits[0].Index = x.Name()
			wants[len(wants)-1] = &hits[0]
		}
	}
	got, err := near.Nearest(context.Background(), x, queries)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if (got[i] == nil) != (wants[i] == nil) || got[i] != nil && !equal([]near.SimilarHit{*got[i]}, []near.SimilarHit{*wants[i]}) {
			t.Errorf("%s: got %+v, want %+v", queries[i].ID, got[i], wants[i])
		}
	}
}

// Of pairs of the asked resemblance and above, hardly any is missed.
func TestVerifyMissesHardlyAny(t *testing.T) {
	t.Parallel()
	all := relatives(rand.New(rand.NewPCG(85, 86)), 200)
	pairs, proposed := 0, 0
	rule := signature.Verify{Resemblance: .8}.Proposes(signature.Rule{}, 100)
	for id, a := range all {
		for other, b := range all {
			if id < other && a.words[0] == b.words[0] && neartest.Resemblance(a.set, b.set) >= .8 {
				pairs++
				if rule.Duplicates(&a.sig, &b.sig) {
					proposed++
				}
			}
		}
	}
	if pairs < 150 || float64(proposed) < .99*float64(pairs) {
		t.Errorf("%d of %d pairs are proposed", proposed, pairs)
	}
}

func TestVerifyWrong(t *testing.T) {
	t.Parallel()
	x := texts(t, nil)
	for want, q := range map[string]near.SimilarQuery{
		"verify: resemblance: wanted 0.3 to 1, or 0, got 2": {ID: "a", Verify: signature.Verify{Resemblance: 2}},
		"one of text, signature and id":                     {Text: []string{"a"}, Signature: new(signature.Signature)},
	} {
		if _, err := near.Similar(context.Background(), x, near.SimilarRequest{Query: q}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: got error %v, want %q", q, err, want)
		}
	}
	var q near.SimilarQuery
	in := `{"custom_filter":{"neardup":{"text":"a b","verify":{"resemblance":0.8,"contained":true}}}}`
	if err := json.Unmarshal([]byte(in), &q); err != nil || (q.Verify != signature.Verify{Resemblance: .8, Contained: true}) {
		t.Errorf("got %+v, error %v", q.Verify, err)
	}
	in = strings.Replace(in, "contained", "contain", 1)
	if err := json.Unmarshal([]byte(in), &q); err == nil || !strings.Contains(err.Error(), "contain") {
		t.Errorf("an unknown member: got error %v", err)
	}
}
