package collapse_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
)

// titled are fieldDocs with titles, of which many are equal or nearly so, and some are missing.
func titled(seed uint64, n int) map[string]page {
	rnd, docs := rand.New(rand.NewPCG(seed, 12)), fieldDocs(seed, n)
	for _, id := range slices.Sorted(maps.Keys(docs)) {
		p, words := docs[id], make([]string, 50)
		topic := rnd.IntN(6)
		for i := range words {
			words[i] = fmt.Sprint("title", topic, "word", i)
		}
		if rnd.IntN(3) == 0 {
			words[rnd.IntN(50)] = "another"
		}
		if p.title = strings.Join(words, " "); rnd.IntN(5) == 0 {
			p.title = ""
		}
		docs[id] = p
	}
	return docs
}

// drawFields draws options for several fields.
func drawFields(rnd *rand.Rand) collapse.Options {
	o := drawOptions(rnd)
	if o.Rule = (signature.Rule{}); o.By != nil && !o.By.Or {
		o.By = nil
	}
	o.Fields = []collapse.FieldRule{{Field: signature.DefaultField}, {Field: titleField, Rule: signature.Rule{Lanes: 70 + rnd.IntN(20), Mode: signature.SketchOnly}}}
	if rnd.IntN(2) == 0 {
		slices.Reverse(o.Fields)
	}
	o.Match = []string{"", "all", "any", "any"}[rnd.IntN(4)]
	return o
}

// By several fields, pages and the whole form show what the oracle finds.
func TestSeveralFields(t *testing.T) {
	t.Parallel()
	index := newMappedIndex(t, withFields(newMapping("")), titled(1, 60))
	for n := range 20 {
		rnd := rand.New(rand.NewPCG(uint64(n), 13))
		o := drawFields(rnd)
		r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
		if by := [][]string{nil, {"_id"}, {"-version", "_id"}, {"word"}}[rnd.IntN(4)]; by != nil {
			r.SortBy(by)
		}
		t.Run(asText(o), func(t *testing.T) {
			t.Parallel()
			compare(t, index, r, o, 7)
			one := *r
			one.Size = 13
			checkWhole(t, index, &one, o)
			o.Demote = true
			compare(t, index, r, o, 9)
		})
	}
}

// On an alias of local indexes, the whole form by several fields says all that it says on one index, and shows
// the newest hit of each group.
func TestSeveralFieldsWholeAlias(t *testing.T) {
	t.Parallel()
	docs := titled(5, 40)
	for n := 2; n <= 3; n++ {
		members, one := split(t, n, docs)
		for layout, alias := range aliases(members) {
			for i := range 3 {
				rnd := rand.New(rand.NewPCG(uint64(n*10+i), uint64(hash(layout))))
				o := drawFields(rnd)
				r := byID(bleve.NewMatchAllQuery())
				r.Size = 9
				r.Sort = order(t, []string{`["_id"]`, `["-version","_id"]`, `["word","-_id"]`}[rnd.IntN(3)])
				r.Fields = []string{"version"}
				r.AddFacet("projects", bleve.NewFacetRequest("project", 2))
				o.InnerHits = []collapse.InnerHits{{Name: "some", Size: 2, Fields: []string{"version"}}}
				by := []string{"from", "after"}[rnd.IntN(2)]
				if o.Visible == 0 && i == 0 {
					o.Head, by = newest, "from"
				}
				t.Run(fmt.Sprintf("%d %s %s", n, layout, asText(o)), func(t *testing.T) {
					t.Parallel()
					alike(t, alias, one, r, o, by)
					if o.Head == nil {
						checkWhole(t, alias, r, o)
					}
				})
			}
		}
	}
}

// Whatever is wrong with signatures in one field or another, the whole form counts it as a page with all hits
// does, in the same order.
func TestSeveralFieldsWholeCounts(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(6, 6))
	docs := families(rnd, 60, 40)
	bodies, titles := spoiled(t, rnd, docs), spoiled(t, rnd, docs)
	for i, id := range slices.Sorted(maps.Keys(docs)) {
		if i%10 == 0 {
			bodies[id], titles[id] = nil, nil
		}
	}
	for i, indexType := range []string{scorch.Name, "unguarded", scorch.Name, "unguarded"} {
		uniform := i > 1 // no signature is foreign: then families are looked for
		for id, p := range docs {
			for _, of := range []map[string]any{bodies, titles} {
				if sig := readable(of[id]); uniform && sig != nil && sig.Params != signature.DefaultParams().ID() {
					own := signature.Of(signature.DefaultParams(), []byte(p.Body))
					text, err := own.MarshalText()
					if err != nil {
						t.Fatal(err)
					}
					of[id] = string(text)
				}
			}
		}
		x, err := bleve.NewUsing("", bleve.NewIndexMapping(), indexType, bleve.Config.DefaultMemKVStore, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		batch := x.NewBatch()
		for id := range docs {
			doc := map[string]any{"version": docs[id].Version}
			for field, sig := range map[string]any{signature.DefaultField: bodies[id], titleField: titles[id]} {
				if sig != nil {
					doc[signature.SketchField(field)] = sig
				}
			}
			if err := batch.Index(id, doc); err != nil {
				t.Fatal(err)
			}
		}
		flush(t, x, batch)
		for n := range 18 {
			o := collapse.Options{Fields: []collapse.FieldRule{{Field: signature.DefaultField}, {Field: titleField}}, Match: []string{"all", "any"}[n%2]}
			o.Missing = []collapse.Missing{collapse.KeepMissing, collapse.DropMissing, collapse.GroupMissing}[n/2%3]
			switch n / 6 {
			case 1:
				o.Fields[0].Rule.Mode, o.Fields[1].Rule.Lanes = signature.SketchOnly, 60
			case 2:
				o.By = &collapse.By{Field: "version", Or: true, Most: 2}
			}
			r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 1000, 0, false)
			if r.SortBy([]string{"-_id"}); n%4 > 1 {
				r.SortBy([]string{"version", "_id"})
			}
			t.Run(fmt.Sprint(indexType, uniform, asText(o)), func(t *testing.T) {
				t.Parallel()
				page, err := collapse.Search(t.Context(), x, r, o)
				if err != nil {
					t.Fatal(err)
				}
				if len(page.Damaged) < 10 || (page.Foreign == 0) != uniform || page.Unsigned == 0 || page.Hidden == 0 {
					t.Fatalf("%d damaged, %d foreign, %d unsigned, %d hidden: this test shows nothing", len(page.Damaged), page.Foreign, page.Unsigned, page.Hidden)
				}
				whole := o
				whole.Whole = true
				got, err := collapse.Search(t.Context(), x, r, whole)
				if err != nil {
					t.Fatal(err)
				}
				got.Total = page.Total // which counts all matches
				if a, b := plainly(t, got), plainly(t, page); a != b {
					t.Fatalf("got\n%.3000s\nwant\n%.3000s", a, b)
				}
			})
		}
	}
}

// The same holds for every way that parts are put together.
func TestSeveralFieldsOfParts(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	parts := partsOf(t, 4, titled(2, 40))
	for layout, x := range layouts(parts, &asked) {
		for n := range 4 {
			o := drawFields(rand.New(rand.NewPCG(uint64(n), 14)))
			r := byID(bleve.NewMatchAllQuery())
			if n%2 == 0 {
				r.SortBy([]string{"-version", "_id"})
			}
			t.Run(layout+" "+asText(o), func(t *testing.T) {
				t.Parallel()
				compare(t, x, r, o, 11)
			})
		}
	}
}

// The groups of a page are complete, and show the newest hit, by several fields too.
func TestSeveralFieldsComplete(t *testing.T) {
	t.Parallel()
	var later atomic.Int64
	t.Cleanup(func() {
		if n := later.Load(); n < 20 {
			t.Errorf("%d members rank after the page of their head, want 20 or more for a test", n)
		}
	})
	docs := titled(3, 40)
	for i, id := range slices.Sorted(maps.Keys(docs)) {
		p := docs[id]
		p.Version = float64(i * 7 % 10)
		docs[id] = p
	}
	parts := partsOf(t, 3, docs)
	for name, x := range map[string]bleve.Index{"one": newMappedIndex(t, withFields(newMapping("")), docs), "alias": bleve.NewIndexAlias(parts...)} {
		for n := range 8 {
			o := drawFields(rand.New(rand.NewPCG(uint64(n), 15)))
			if o.By, o.Visible = nil, 0; o.Missing == collapse.GroupMissing {
				o.Missing = ""
			}
			if n%2 == 0 {
				o.Head = newest
			}
			t.Run(name+asText(o), func(t *testing.T) {
				t.Parallel()
				r := byID(bleve.NewMatchAllQuery())
				r.Size = 5
				later.Add(checkComplete(t, x, r, o, docs, n%3 == 0))
			})
		}
	}
}

// With Verify the texts of a field decide in that field: of equal texts in two fields, two say the same
// as one.
func TestSeveralFieldsVerified(t *testing.T) {
	t.Parallel()
	docs := map[string]page{}
	for _, p := range verifiables(rand.New(rand.NewPCG(4, 4)), 80) {
		docs[p.id] = page{Body: p.body, title: p.body}
	}
	x := newMappedIndex(t, withFields(newMapping("")), docs)
	r := byID(bleve.NewMatchAllQuery())
	r.Size = 100
	confirm := signature.Verify{Resemblance: .8}
	one, err := collapse.Search(context.Background(), x, r, collapse.Options{Verify: confirm})
	if err != nil {
		t.Fatal(err)
	}
	verified := 0
	for _, match := range []string{"any", "all"} {
		two, err := collapse.Search(context.Background(), x, r, collapse.Options{Verify: confirm, Match: match, Fields: []collapse.FieldRule{{Field: titleField}, {Field: signature.DefaultField}}})
		if err != nil {
			t.Fatal(err)
		}
		for i, g := range two.Groups {
			for n, m := range g.Members {
				if m.Verified {
					verified++
				}
				if m.Field != titleField || len(m.Fields) != 2 || m.Fields[0].Match != m.Match || m.Fields[1].Match != m.Match {
					t.Fatalf("member %+v", m)
				}
				two.Groups[i].Members[n].Field, two.Groups[i].Members[n].Fields = "", nil
			}
		}
		holdVerified(t, match, two.Groups, one.Groups)
		whole, err := collapse.Search(context.Background(), x, r, collapse.Options{Whole: true, Verify: confirm, Match: match, Fields: []collapse.FieldRule{{Field: titleField}, {Field: signature.DefaultField}}})
		if err != nil {
			t.Fatal(err)
		}
		holdVerified(t, match+" whole", whole.Groups, one.Groups)
	}
	if verified < 20 {
		t.Errorf("%d members are verified, want 20 or more for a test", verified)
	}
}

func TestSeveralFieldsWrong(t *testing.T) {
	t.Parallel()
	x := newIndex(t, nil)
	two := []collapse.FieldRule{{Field: signature.DefaultField}, {Field: titleField}}
	for want, o := range map[string]collapse.Options{
		`match: wanted "any" or "all", got "one"`:         {Fields: two, Match: "one"},
		`match "any" needs fields`:                        {Match: "any"},
		"fields cannot be combined with field":            {Fields: two, Field: titleField},
		"fields cannot be combined with by":               {Fields: two, By: &collapse.By{Field: "project"}},
		"fields: wanted at most 16, got 17":               {Fields: make([]collapse.FieldRule, 17)},
		`fields: wanted names that differ, got ""`:        {Fields: []collapse.FieldRule{{}}},
		`fields: wanted names that differ, got "neardup"`: {Fields: slices.Concat(two, two)},
		`fields: "neardup": `:                             {Fields: []collapse.FieldRule{{Field: signature.DefaultField, Rule: signature.Rule{Lanes: -2}}}},
		`absent`:                                          {Fields: []collapse.FieldRule{{Field: signature.DefaultField}, {Field: "absent"}}},
		"wanted 0 to 100, as many":                        {Fields: []collapse.FieldRule{{Field: signature.DefaultField}, {Field: titleField, Rule: signature.Rule{Lanes: 101}}}, Match: "any"},
	} {
		load(t, x, map[string]page{"a": {Body: strings.Repeat("some text ", 20), title: strings.Repeat("a title ", 20)}})
		if _, err := collapse.Search(context.Background(), x, byID(bleve.NewMatchAllQuery()), o); !errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
}
