package collapse_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/signaturetest"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
)

// page is a document of these tests. Without a body it has no signature.
type page struct {
	Body, Project string
	Version       float64
}

// data is what is indexed of p.
func (p page) data() map[string]any {
	all := map[string]any{"version": p.Version}
	if p.Body != "" {
		all["body"] = p.Body
	}
	if p.Project != "" {
		all["project"] = p.Project
	}
	return all
}

// newMapping fingerprints body.
func newMapping(scoring string) *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	m.ScoringModel = scoring
	m.DefaultMapping.AddFieldMappingsAt("project", bleve.NewKeywordFieldMapping())
	plugin.Map(m.DefaultMapping, "body")
	return m
}

// newIndex makes an index in memory.
func newIndex(tb testing.TB, docs map[string]page) bleve.Index {
	tb.Helper()
	return newMappedIndex(tb, newMapping(""), docs)
}

func newMappedIndex(tb testing.TB, m *mapping.IndexMappingImpl, docs map[string]page) bleve.Index {
	tb.Helper()
	index, err := plugin.New("", m)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { index.Close() })
	load(tb, index, docs)
	return index
}

// load writes docs in a few batches.
func load(tb testing.TB, index bleve.Index, docs map[string]page) {
	tb.Helper()
	batch := index.NewBatch()
	for id, doc := range docs {
		if err := batch.Index(id, doc.data()); err != nil {
			tb.Fatal(err)
		}
		if batch.Size() == 500 {
			flush(tb, index, batch)
		}
	}
	flush(tb, index, batch)
}

func flush(tb testing.TB, index bleve.Index, batch *bleve.Batch) {
	tb.Helper()
	if err := index.Batch(batch); err != nil {
		tb.Fatal(err)
	}
	batch.Reset()
}

// byID ranks all documents in the same order on every index.
func byID(q query.Query) *bleve.SearchRequest {
	r := bleve.NewSearchRequest(q)
	r.SortBy([]string{"_id"})
	return r
}

// group is what the oracle finds: ids, the head first.
type group []string

// oracle is the naive collapse: bleve's whole result in rank order, each hit held
// against every head before it, lane by lane.
func oracle(tb testing.TB, index bleve.Index, r *bleve.SearchRequest, rule signature.Rule) []group {
	tb.Helper()
	all := *r
	all.Sort = r.Sort.Copy()
	if len(all.Sort) == 0 || !all.Sort.RequiresDocID() {
		all.Sort = append(all.Sort, &search.SortDocID{})
	}
	all.From, all.Size = 0, 1<<20
	all.Fields = []string{signature.SketchField(signature.DefaultField)}
	res, err := index.Search(&all)
	if err != nil {
		tb.Fatal(err)
	}
	var groups []group
	var heads []*signature.Signature
next:
	for _, hit := range res.Hits {
		sig := new(signature.Signature)
		text, _ := hit.Fields[signature.SketchField(signature.DefaultField)].(string)
		if err := sig.UnmarshalText([]byte(text)); err != nil {
			tb.Fatal(err)
		}
		for i, h := range heads {
			if signaturetest.Duplicates(rule, h, sig) {
				groups[i] = append(groups[i], hit.ID)
				continue next
			}
		}
		heads = append(heads, sig)
		groups = append(groups, group{hit.ID})
	}
	return groups
}

// gather asks for page after page, by cursor or by From, and puts what they show
// together again.
func gather(tb testing.TB, index bleve.Index, r *bleve.SearchRequest, o collapse.Options, size int, byCursor bool) []group {
	tb.Helper()
	var groups []group
	at := map[string]int{}
	add := func(g collapse.Group, members bool) {
		i, ok := at[g.Head.ID]
		if !ok {
			i = len(groups)
			at[g.Head.ID] = i
			groups = append(groups, group{g.Head.ID})
		}
		for _, m := range g.Members {
			if members {
				groups[i] = append(groups[i], m.ID)
			}
		}
	}
	page := *r
	page.Size = size
	for {
		res, err := collapse.Search(context.Background(), index, &page, o)
		if err != nil {
			tb.Fatal(err)
		}
		if len(res.Hits) != len(res.Groups) || len(res.Hits) > size {
			tb.Fatalf("%d hits, %d groups on a page of %d", len(res.Hits), len(res.Groups), size)
		}
		for _, g := range res.Groups {
			if _, ok := at[g.Head.ID]; ok {
				tb.Fatalf("head %s shown twice", g.Head.ID)
			}
			add(g, byCursor)
		}
		for _, g := range res.Earlier {
			if _, ok := at[g.Head.ID]; !ok {
				tb.Fatalf("earlier head %s was not shown", g.Head.ID)
			}
			add(g, byCursor)
		}
		if res.Next == nil {
			if !byCursor { // the last page walked all: its groups are whole
				for _, g := range slices.Concat(res.Earlier, res.Groups) {
					add(g, true)
				}
			}
			if res.TotalGroupsRelation != collapse.Exact || res.TotalGroups != len(groups) {
				tb.Fatalf("last page: %d groups (%s), want %d (eq)", res.TotalGroups, res.TotalGroupsRelation, len(groups))
			}
			return groups
		}
		if res.TotalGroupsRelation != collapse.AtLeast {
			tb.Fatalf("relation %q before the last page", res.TotalGroupsRelation)
		}
		if byCursor {
			o.Cursor = overTheWire(tb, res.Next)
		} else {
			page.From += size
		}
	}
}

// overTheWire returns the cursor as it comes back from a client.
func overTheWire(tb testing.TB, c *collapse.Cursor) *collapse.Cursor {
	tb.Helper()
	data, err := json.Marshal(c)
	if err != nil {
		tb.Fatal(err)
	}
	back := new(collapse.Cursor)
	if err := json.Unmarshal(data, back); err != nil {
		tb.Fatal(err)
	}
	return back
}

// compare holds pages of several sizes against the oracle.
func compare(t *testing.T, index bleve.Index, r *bleve.SearchRequest, o collapse.Options, sizes ...int) {
	t.Helper()
	rule := signature.DefaultRule()
	if o.Rule != nil {
		rule = *o.Rule
	}
	want := oracle(t, index, r, rule)
	for _, size := range sizes {
		for _, byCursor := range []bool{true, false} {
			if got := gather(t, index, r, o, size, byCursor); !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("size %d, by cursor %v: %d groups differ from the oracle's %d: %s", size, byCursor, len(got), len(want), difference(got, want))
			}
		}
	}
}

func difference(got, want []group) string {
	for i := range min(len(got), len(want)) {
		if !slices.Equal(got[i], want[i]) {
			g, _ := json.Marshal([]group{got[i], want[i]})
			return "first at " + string(g)
		}
	}
	return "one is longer"
}
