package near_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// with is an analyzer with passages of that many words; the text is in property body.
func with(t testing.TB, words int, changes ...func(body *mapping.FieldMapping, config map[string]any)) *mapping.IndexMappingImpl {
	t.Helper()
	m := bleve.NewIndexMapping()
	body, config := bleve.NewTextFieldMapping(), map[string]any{"type": neardup.Name, "passages": words}
	for _, change := range changes {
		change(body, config)
	}
	if err := m.AddCustomAnalyzer("passages", config); err != nil {
		t.Fatal(err)
	}
	m.DefaultMapping.AddFieldMappingsAt("body", body, plugin.FieldMapping("passages"))
	tag := bleve.NewTextFieldMapping()
	tag.Analyzer = keyword.Name
	m.DefaultMapping.AddFieldMappingsAt("tag", tag)
	return m
}

func newQuotingIndex(t testing.TB, m mapping.IndexMapping) bleve.Index {
	t.Helper()
	x := opened(t, "", m)
	return x
}

// doc is a document of several values.
type doc struct {
	values []string
	tag    string
}

func (d doc) data() map[string]any {
	return map[string]any{"body": d.values, "tag": d.tag}
}

func add(t testing.TB, x bleve.Index, docs map[string]doc) {
	t.Helper()
	b := x.NewBatch()
	for id, d := range docs {
		if err := b.Index(id, d.data()); err != nil {
			t.Fatal(err)
		}
		if b.Size() >= 50 {
			if err := x.Batch(b); err != nil {
				t.Fatal(err)
			}
			b = x.NewBatch()
		}
	}
	if err := x.Batch(b); err != nil {
		t.Fatal(err)
	}
}

func passagesIn(t testing.TB, x bleve.Index, r near.PassagesRequest) *near.PassagesResult {
	t.Helper()
	res, err := near.Passages(t.Context(), x, r)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// quotingWords are the words of each value, as the default tokenizer has them.
func quotingWords(values []string) (all [][]string) {
	for _, v := range values {
		var own []string
		for _, token := range token.Split([]byte(v)) {
			own = append(own, string(token.Term))
		}
		all = append(all, own)
	}
	return all
}

// quotingOracle knows of each document all runs of t words, each by a number.
type quotingOracle struct {
	t       int
	words   map[string][][]string
	runs    map[string][][]int // by where they begin
	numbers map[string]int
}

func newQuotingOracle(t int, docs map[string]doc) *quotingOracle {
	o := &quotingOracle{t, map[string][][]string{}, map[string][][]int{}, map[string]int{}}
	for id, d := range docs {
		o.words[id] = quotingWords(d.values)
		o.runs[id] = o.runsOf(o.words[id])
	}
	return o
}

func (o *quotingOracle) runsOf(values [][]string) (all [][]int) {
	for _, v := range values {
		var own []int
		for i := 0; i+o.t <= len(v); i++ {
			run := strings.Join(v[i:i+o.t], " ")
			if o.numbers[run] == 0 {
				o.numbers[run] = len(o.numbers) + 1
			}
			own = append(own, o.numbers[run])
		}
		all = append(all, own)
	}
	return all
}

func quotingSet(runs [][]int) map[int]bool {
	all := map[int]bool{}
	for _, v := range runs {
		for _, run := range v {
			all[run] = true
		}
	}
	return all
}

// covered are the spans of values that are in runs, without their bytes, and how many words these are.
func (o *quotingOracle) covered(values [][]string, own [][]int, runs map[int]bool) (spans []near.Span, n, of int) {
	for number, v := range values {
		in := make([]bool, len(v))
		for i, run := range own[number] {
			if runs[run] {
				for k := range o.t {
					in[i+k] = true
				}
			}
		}
		of += len(v)
		for i := range in {
			if !in[i] {
				continue
			}
			n++
			if i > 0 && in[i-1] {
				spans[len(spans)-1].To = i + 1
			} else {
				spans = append(spans, near.Span{Value: number, From: i, To: i + 1})
			}
		}
	}
	return spans, n, of
}

// check compares a whole result with the oracle's: which documents, in which order, the shares, and every span.
func (o *quotingOracle) check(t *testing.T, what string, res *near.PassagesResult, given []string, self string, docs map[string]doc) (hits int) {
	t.Helper()
	own := quotingWords(given)
	runs := o.runsOf(own)
	ownRuns := quotingSet(runs)
	want := map[string]bool{}
	for id, other := range o.runs {
		for _, v := range other {
			if id != self && slices.ContainsFunc(v, func(run int) bool { return ownRuns[run] }) {
				want[id] = true
			}
		}
	}
	if int(res.Total) != len(want) || len(res.Hits) != len(want) || res.TotalRelation != bleve.TotalRelationEq || res.PassedOver != 0 || res.Least != o.t {
		t.Fatalf("%s: got %d hits, %d %s in all, least %d, passed over %d, want %d", what, len(res.Hits), res.Total, res.TotalRelation, res.Least, res.PassedOver, len(want))
	}
	for i, h := range res.Hits {
		if !want[h.ID] {
			t.Fatalf("%s: got %s, which has no such passage", what, h.ID)
		}
		if i > 0 {
			if p := res.Hits[i-1]; p.InHit.Value < h.InHit.Value || p.InHit.Value == h.InHit.Value && p.ID >= h.ID {
				t.Fatalf("%s: %s comes before %s", what, p.ID, h.ID)
			}
		}
		a, n, of := o.covered(own, runs, quotingSet(o.runs[h.ID]))
		b, m, ofHit := o.covered(o.words[h.ID], o.runs[h.ID], ownRuns)
		exact := func(n, of int) sketch.Estimate { return sketch.Estimate{Value: float64(n) / float64(of)} }
		if !h.Verified || h.Words != n || h.InHit != exact(n, of) || h.OfHit != exact(m, ofHit) || res.Words != of {
			t.Fatalf("%s: %s: got %d words of %d, %v, %v, want %d of %d, %d of %d", what, h.ID, h.Words, res.Words, h.InHit, h.OfHit, n, of, m, ofHit)
		}
		o.spans(t, what+", given", h.Given, a, given, own)
		o.spans(t, what+", "+h.ID, h.Own, b, docs[h.ID].values, o.words[h.ID])
		inB := map[[2]int]bool{}
		for _, p := range h.Passages {
			x, y := own[p.Given.Value][p.Given.From:p.Given.To], o.words[h.ID][p.Own.Value][p.Own.From:p.Own.To]
			if !slices.Equal(x, y) || len(x) != p.Words || p.Words < o.t || p.Text != docs[h.ID].values[p.Own.Value][p.Own.Start:p.Own.End] || !slices.Equal(quotingWords([]string{p.Text})[0], y) {
				t.Fatalf("%s: %s: %+v is no passage", what, h.ID, p)
			}
			for i := p.Own.From; i < p.Own.To; i++ {
				inB[[2]int{p.Own.Value, i}] = true
			}
		}
		if len(inB) != m {
			t.Fatalf("%s: %s: the passages have %d words of the hit, want %d", what, h.ID, len(inB), m)
		}
	}
	return len(want)
}

// spans compares spans, and that their bytes are their words.
func (o *quotingOracle) spans(t *testing.T, what string, got, want []near.Span, values []string, words [][]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
	for i, s := range got {
		bytes := values[s.Value][s.Start:s.End]
		var own []string
		for _, token := range token.Split([]byte(bytes)) {
			own = append(own, string(token.Term))
		}
		s.Start, s.End = 0, 0
		if s != want[i] || !slices.Equal(own, words[s.Value][s.From:s.To]) {
			t.Fatalf("%s: got %v with the text %q, want %v", what, got[i], bytes, want[i])
		}
	}
}

// shipped are the first words of manuals of several versions, with passages of others planted in them.
func shipped(t testing.TB, rnd *rand.Rand, n, longest int) map[string]doc {
	docs := map[string]doc{}
	all := neartest.Shipped(t)
	part := func(most int) string {
		fields := strings.Fields(all[rnd.IntN(len(all))].Text)
		from := rnd.IntN(len(fields))
		return strings.Join(fields[from:min(len(fields), from+rnd.IntN(most))], " ")
	}
	for i := range n {
		text := all[i/2*2*len(all)/n].Text
		fields := strings.Fields(text)
		fields = fields[:min(len(fields), longest)]
		at := rnd.IntN(len(fields) + 1)
		d := doc{values: []string{strings.Join(fields[:at], " ") + "\n> " + part(120) + "\n" + strings.Join(fields[at:], " ")}}
		for range rnd.IntN(3) {
			d.values = append(d.values, part(200))
		}
		docs[fmt.Sprint(all[i*len(all)/n].ID, " ", i)] = d
	}
	return docs
}

// Against brute force: all pairs of documents, by id and by text, in one index and in an alias of three, and once some
// are written anew and deleted.
func TestOracle(t *testing.T) {
	t.Parallel()
	const least = 20
	rnd := rand.New(rand.NewPCG(1, 2))
	docs := shipped(t, rnd, 70, 250)
	one := newQuotingIndex(t, with(t, least))
	parts := []bleve.Index{newQuotingIndex(t, with(t, least)), newQuotingIndex(t, with(t, least)), newQuotingIndex(t, with(t, least))}
	alias := bleve.NewIndexAlias(parts...)
	add(t, one, docs)
	ids := sorted(docs)
	for p, part := range parts {
		own := map[string]doc{}
		for i, id := range ids {
			if i%3 == p {
				own[id] = docs[id]
			}
		}
		add(t, part, own)
	}
	o := newQuotingOracle(least, docs)
	hits := 0
	for i, id := range ids {
		hits += o.check(t, id, passagesIn(t, one, near.PassagesRequest{Query: near.PassagesQuery{ID: id, MaxShare: 1}, Size: 1000}), docs[id].values, id, docs)
		if i%6 == 0 {
			o.check(t, id, passagesIn(t, alias, near.PassagesRequest{Query: near.PassagesQuery{ID: id}, Size: 1000}), docs[id].values, id, docs)
			o.check(t, id, passagesIn(t, alias, near.PassagesRequest{Query: near.PassagesQuery{Text: docs[id].values}, Size: 1000}), docs[id].values, "", docs)
		}
	}
	if hits < 100 {
		t.Errorf("%d hits: this test shows little", hits)
	}
	for i, id := range ids {
		switch i % 5 {
		case 0:
			if err := one.Delete(id); err != nil {
				t.Fatal(err)
			}
			delete(docs, id)
		case 1:
			docs[id] = doc{values: []string{docs[ids[(i+1)%len(ids)]].values[0] + " and more"}}
			add(t, one, map[string]doc{id: docs[id]})
		}
	}
	o = newQuotingOracle(least, docs)
	for _, id := range sorted(docs) {
		o.check(t, id, passagesIn(t, one, near.PassagesRequest{Query: near.PassagesQuery{ID: id}, Size: 1000}), docs[id].values, id, docs)
	}
	// Longer passages than the field's.
	o = newQuotingOracle(35, docs)
	for _, id := range sorted(docs)[:20] {
		o.check(t, id, passagesIn(t, one, near.PassagesRequest{Query: near.PassagesQuery{ID: id, Least: 35}, Size: 1000}), docs[id].values, id, docs)
	}
}

func sorted(docs map[string]doc) (ids []string) {
	for id := range docs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// The same on text that must not be redistributed: mails with quoted replies, and plagiarism.
func TestReal(t *testing.T) {
	t.Parallel()
	for _, set := range []string{"enron-spam/docs.jsonl.gz", "mccormick-plagiarism/docs_100.jsonl.gz"} {
		t.Run(strings.ReplaceAll(set, "/", " "), func(t *testing.T) {
			t.Parallel()
			docs := map[string]doc{}
			for _, d := range neartest.FirstDocs(t, set, 150) {
				fields := strings.Fields(d.Text)
				docs[d.ID] = doc{values: []string{strings.Join(fields[:min(len(fields), 250)], " ")}}
			}
			x := newQuotingIndex(t, with(t, 30))
			add(t, x, docs)
			o := newQuotingOracle(30, docs)
			hits := 0
			for i, id := range sorted(docs) {
				if i%8 == 0 {
					hits += o.check(t, id, passagesIn(t, x, near.PassagesRequest{Query: near.PassagesQuery{ID: id, MaxShare: 1}, Size: 1000}), docs[id].values, id, docs)
				}
			}
			t.Logf("%d hits", hits)
		})
	}
}
