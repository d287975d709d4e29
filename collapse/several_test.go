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

// By several fields, pages show what the oracle finds.
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
			o.Demote = true
			compare(t, index, r, o, 9)
		})
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
		"whole cannot be combined with several fields":    {Fields: two, Whole: true},
		`absent`:                   {Fields: []collapse.FieldRule{{Field: signature.DefaultField}, {Field: "absent"}}},
		"wanted 0 to 100, as many": {Fields: []collapse.FieldRule{{Field: signature.DefaultField}, {Field: titleField, Rule: signature.Rule{Lanes: 101}}}, Match: "any"},
	} {
		load(t, x, map[string]page{"a": {Body: strings.Repeat("some text ", 20), title: strings.Repeat("a title ", 20)}})
		if _, err := collapse.Search(context.Background(), x, byID(bleve.NewMatchAllQuery()), o); !errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
}
