package near_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
)

// text is a document of the tests against plain comparison, of which some texts are signed and not stored.
type text struct {
	id     string
	words  []string
	stored bool
	values map[string]any // of fields, none or several of some
	rank   float64

	n      int // in the oracle of groups
	family int // texts of two families have no word in common
	sig    signature.Signature
	set    map[string]struct{}
}

func (x *text) String() string { return strings.Join(x.words, " ") }

func (x *text) doc() map[string]any {
	doc := map[string]any{"body": x.String(), "rank": x.rank}
	if !x.stored {
		doc = map[string]any{"more": x.String(), "rank": x.rank}
	}
	maps.Copy(doc, x.values)
	return doc
}

// relatives are texts in families that resemble each other more or less, of which many are near the edge, and some are
// copies of copies; equal texts, excerpts, texts of a few words and of none are among them.
func relatives(rnd *rand.Rand, n int) (all []*text) {
	word := 0
	fresh := func() string { word++; return fmt.Sprint("w", word) }
	for family := 0; len(all) < n; family++ {
		var base []string
		for range 20 + rnd.IntN(40)*rnd.IntN(6) {
			base = append(base, fresh())
		}
		drifts := rnd.IntN(2) == 0
		for range 1 + rnd.IntN(40)*rnd.IntN(2) {
			own := slices.Clone(base)
			switch rnd.IntN(12) {
			case 0:
				own = own[:len(own)*(60+rnd.IntN(40))/100]
			case 1:
				own = own[:rnd.IntN(6)]
			case 2:
			default:
				for range rnd.IntN(len(own)/16 + 1) {
					own[rnd.IntN(len(own))] = fresh()
				}
				if drifts {
					base = own
				}
			}
			all = append(all, newText(rnd, own, family))
		}
	}
	rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:n]
	for i, x := range all {
		x.id = fmt.Sprintf("doc %03d", i)
	}
	return all
}

func newText(rnd *rand.Rand, words []string, family int) *text {
	x := &text{words: words, stored: rnd.IntN(6) > 0, values: map[string]any{}, rank: float64(rnd.IntN(4)), family: family, set: neartest.Shingles(words, 4)}
	if len(words) < 4 {
		x.set = map[string]struct{}{x.String(): {}}
	}
	x.sig = signature.Of(signature.DefaultParams(), []byte(x.String()))
	maps.Copy(x.values, map[string]any{
		"tenant": []string{"a", "b"}[rnd.IntN(2)],
		"tags":   [][]string{{"x"}, {"x", "y"}, {"y", "x", "x"}}[rnd.IntN(3)],
		"price":  float64(rnd.IntN(2)),
		"public": rnd.IntN(2) == 0,
		"date":   time.Unix(int64(rnd.IntN(2))*100_000, 0).UTC().Format(time.RFC3339),
		"kept":   []string{"s", "t"}[rnd.IntN(2)],
	})
	for _, name := range slices.Sorted(maps.Keys(x.values)) {
		if rnd.IntN(6) == 0 {
			delete(x.values, name)
		}
	}
	return x
}

// newValued makes an index of texts with values.
func newValued(t testing.TB, name string) bleve.Index {
	t.Helper()
	m := newMapping(t, map[string]any{"agree": 55})
	m.DefaultMapping.AddFieldMappingsAt("body", plugin.FieldMapping(bands), bleve.NewTextFieldMapping())
	m.DefaultMapping.AddFieldMappingsAt("more", plugin.FieldMapping(bands))
	for name, f := range map[string]*mapping.FieldMapping{
		"tenant": bleve.NewKeywordFieldMapping(), "tags": bleve.NewKeywordFieldMapping(), "price": bleve.NewNumericFieldMapping(), "rank": bleve.NewNumericFieldMapping(),
		"public": bleve.NewBooleanFieldMapping(), "date": bleve.NewDateTimeFieldMapping(), "kept": bleve.NewKeywordFieldMapping(),
	} {
		f.DocValues = name != "kept"
		m.DefaultMapping.AddFieldMappingsAt(name, f)
	}
	x := opened(t, "", m)
	x.SetName(name)
	return x
}

// indexed makes an index of all texts, one that was written in another order, in small batches, with texts written
// twice and others deleted, and two with one half each.
func indexed(t testing.TB, rnd *rand.Rand, all []*text) (one, many bleve.Index, halves []bleve.Index) {
	t.Helper()
	one, many = newValued(t, "one"), newValued(t, "many")
	halves = []bleve.Index{newValued(t, "left"), newValued(t, "right")}
	docs, parts := map[string]any{}, []map[string]any{{}, {}}
	for i, x := range all {
		docs[x.id], parts[i%2][x.id] = x.doc(), x.doc()
	}
	put(t, one, docs)
	put(t, halves[0], parts[0])
	put(t, halves[1], parts[1])
	shuffled := slices.Clone(all)
	rnd.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for chunk := range slices.Chunk(shuffled, 23) {
		first, then := map[string]any{"gone": chunk[0].doc()}, map[string]any{"gone": nil}
		for i, x := range chunk {
			first[x.id], then[x.id] = all[i].doc(), x.doc()
		}
		put(t, many, first)
		put(t, many, then)
	}
	return one, many, halves
}

// set is the set of the values of a field, as a text; empty if there is none.
func set(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []string:
		return fmt.Sprint(slices.Compact(slices.Sorted(slices.Values(v))))
	}
	return fmt.Sprint(v)
}

// equal reports whether two texts have values in fields, and equal ones.
func (x *text) equal(y *text, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		return x.values[name] == nil || set(x.values[name]) != set(y.values[name])
	})
}

// lanesOf are the lanes that Verify asks for; it takes time to reckon them for each pair.
func lanesOf(resemblance float64) int {
	return map[float64]int{.8: lanesOf8, .9: lanesOf9}[resemblance]
}

var lanesOf8, lanesOf9 = signature.Verify{Resemblance: .8}.Lanes(100), signature.Verify{Resemblance: .9}.Lanes(100)

// compared is what two texts have in common.
type compared struct {
	signature.Match
	verified, near  bool
	share, inA, inB sketch.Estimate
}

// compare compares two texts by a rule, and if texts are compared by all their shingles.
func compare(rule signature.Rule, v signature.Verify, a, b *text, texts bool) (c compared) {
	if a.sig.Lanes > 0 && b.sig.Lanes > 0 {
		c.Agree = neartest.Agree(a.sig.Sketch, b.sig.Sketch, 100)
	}
	for bits := a.sig.Simhash ^ b.sig.Simhash; bits != 0; bits &= bits - 1 {
		c.Hamming++
	}
	if c.verified = texts && v.On(); c.verified {
		if v.Resemblance > 0 {
			rule.Lanes = min(90, lanesOf(v.Resemblance))
		}
		both := 0
		for s := range a.set {
			if _, ok := b.set[s]; ok {
				both++
			}
		}
		of := func(n int) sketch.Estimate { return sketch.Estimate{Value: float64(both) / float64(n)} }
		c.share, c.inA, c.inB = of(len(a.set)+len(b.set)-both), of(len(a.set)), of(len(b.set))
		c.near = neartest.Duplicates(rule, &a.sig, &b.sig) &&
			(v.Resemblance > 0 && c.share.Value >= v.Resemblance || v.Contained && both > 0 && both == min(len(a.set), len(b.set)))
	} else {
		c.share, _ = a.sig.Resemblance(&b.sig)
		c.inA, c.inB, _ = a.sig.Containment(&b.sig)
		c.near = neartest.Duplicates(rule, &a.sig, &b.sig)
	}
	if !c.near {
		return c
	}
	if a.sig.Exact == b.sig.Exact {
		c.By |= signature.ByExact
	}
	other := b.sig
	other.Exact = a.sig.Exact + 1 // so that this test does not pass
	for mode, by := range map[signature.Mode]signature.Reason{signature.SketchOnly: signature.BySketch, signature.SimhashOnly: signature.BySimhash} {
		alone, both := rule, rule
		alone.Mode = mode
		if rule.Mode != signature.Both {
			both = alone
		}
		if (rule.Mode == "" || rule.Mode == signature.Either || rule.Mode == signature.Both || rule.Mode == mode) && neartest.Duplicates(both, &a.sig, &other) {
			c.By |= by
		}
	}
	return c
}

// same reports whether two estimates are equal but for the last bit.
func same(a, b sketch.Estimate) bool {
	return math.Abs(a.Value-b.Value) < 1e-12 && math.Abs(a.StdErr-b.StdErr) < 1e-12
}
