package collapse_test

import (
	"context"
	"encoding/json"
	"fmt"
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
	lead          string // searched in place of the body: see realIndex
}

// data is what is indexed of p.
func (p page) data() map[string]any {
	all := map[string]any{"version": p.Version}
	if p.Body != "" {
		all["body"] = p.Body
	}
	if p.lead != "" {
		all["lead"] = p.lead
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

// group is ids, the head first.
type group []string

// truth is what the naive collapse finds.
type truth struct {
	shown            []string // ids, in order
	groups           []group
	hidden, unsigned int
	projects         map[string]int // how many of those shown are of each
}

// oracle is the naive collapse: bleve's whole result in rank order, each hit held
// against every head before it, lane by lane.
func oracle(tb testing.TB, index bleve.Index, r *bleve.SearchRequest, o collapse.Options) truth {
	tb.Helper()
	rule := signature.DefaultRule()
	if o.Rule != nil {
		rule = *o.Rule
	}
	all := *r
	all.Sort = r.Sort.Copy()
	if len(all.Sort) == 0 || !all.Sort.RequiresDocID() {
		all.Sort = append(all.Sort, &search.SortDocID{})
	}
	all.From, all.Size, all.SearchAfter, all.SearchBefore, all.Facets = 0, 1<<20, nil, nil, nil
	all.Fields = []string{signature.SketchField(signature.DefaultField), "project"}
	res, err := index.Search(&all)
	if err != nil {
		tb.Fatal(err)
	}
	found := truth{projects: map[string]int{}}
	var hidden []string
	var heads []*signature.Signature // nil for a hit without one
	for _, hit := range res.Hits {
		var sig *signature.Signature
		if text, ok := hit.Fields[signature.SketchField(signature.DefaultField)].(string); ok {
			sig = new(signature.Signature)
			if err := sig.UnmarshalText([]byte(text)); err != nil {
				tb.Fatal(err)
			}
		} else if found.unsigned++; o.Missing == collapse.DropMissing {
			continue
		}
		at := slices.IndexFunc(heads, func(h *signature.Signature) bool {
			if h == nil || sig == nil {
				return h == sig && o.Missing == collapse.GroupMissing
			}
			return signaturetest.Duplicates(rule, h, sig)
		})
		if at < 0 {
			at = len(heads)
			heads = append(heads, sig)
			found.groups = append(found.groups, nil)
		}
		found.groups[at] = append(found.groups[at], hit.ID)
		if o.Mode == collapse.Annotate || len(found.groups[at]) <= max(1, o.Visible) {
			found.shown = append(found.shown, hit.ID)
			if project, ok := hit.Fields["project"].(string); ok {
				found.projects[project]++
			}
		} else {
			hidden = append(hidden, hit.ID)
		}
	}
	found.hidden = len(hidden)
	if o.Mode == collapse.Demote {
		found.shown = append(found.shown, hidden...)
	}
	return found
}

// gather asks for page after page, by cursor or by From, and puts what they show
// together again.
func gather(tb testing.TB, index bleve.Index, r *bleve.SearchRequest, o collapse.Options, size int, byCursor bool) (got truth) {
	tb.Helper()
	at := map[string]int{}
	page := *r
	page.Size = size
	for {
		res, err := collapse.Search(context.Background(), index, &page, o)
		if err != nil {
			tb.Fatal(err)
		}
		if one := o.Visible < 2 && (o.Mode == "" || o.Mode == collapse.Drop); one && len(res.Hits) != len(res.Groups) || len(res.Hits) > size {
			tb.Fatalf("%d hits, %d groups on a page of %d", len(res.Hits), len(res.Groups), size)
		}
		for _, hit := range res.Hits {
			got.shown = append(got.shown, hit.ID)
		}
		if !byCursor { // each page has walked what those before it did
			got.hidden, got.unsigned = 0, 0
			for i, g := range got.groups {
				got.groups[i] = g[:1]
			}
		}
		got.hidden += res.Hidden
		got.unsigned += res.Unsigned
		for _, g := range res.Earlier {
			if _, ok := at[g.Head.ID]; !ok {
				tb.Fatalf("earlier head %s was not shown", g.Head.ID)
			}
		}
		for _, g := range res.Groups {
			if _, ok := at[g.Head.ID]; ok {
				tb.Fatalf("head %s shown twice", g.Head.ID)
			}
			at[g.Head.ID] = len(got.groups)
			got.groups = append(got.groups, group{g.Head.ID})
		}
		for _, g := range slices.Concat(res.Earlier, res.Groups) {
			i := at[g.Head.ID]
			got.groups[i] = append(got.groups[i], memberIDs(g)...)
		}
		if last := res.Next == nil; last && (o.Mode != collapse.Demote || len(res.Hits) < size) {
			if res.TotalGroupsRelation != collapse.Exact || res.TotalGroups != len(got.groups) {
				tb.Fatalf("last page: %d groups (%s), want %d (eq)", res.TotalGroups, res.TotalGroupsRelation, len(got.groups))
			}
			return got
		} else if !last && res.TotalGroupsRelation != collapse.AtLeast {
			tb.Fatalf("relation %q before the last page", res.TotalGroupsRelation)
		}
		if byCursor {
			o.Cursor = overTheWire(tb, res.Next)
		} else {
			page.From += size
		}
	}
}

func memberIDs(g collapse.Group) (ids []string) {
	for _, m := range g.Members {
		ids = append(ids, m.ID)
	}
	return ids
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
	want := oracle(t, index, r, o)
	for _, size := range sizes {
		for _, byCursor := range []bool{true, false} {
			if byCursor && o.Mode == collapse.Demote {
				continue
			}
			if diff := difference(gather(t, index, r, o, size, byCursor), want); diff != "" {
				t.Errorf("size %d, by cursor %v: %s", size, byCursor, diff)
			}
		}
	}
}

// difference tells where pages are not as the oracle has them, or returns "".
func difference(got, want truth) string {
	if !slices.EqualFunc(got.groups, want.groups, slices.Equal) {
		for i := range min(len(got.groups), len(want.groups)) {
			if !slices.Equal(got.groups[i], want.groups[i]) {
				return fmt.Sprintf("group %d is %q, want %q", i, got.groups[i], want.groups[i])
			}
		}
		return fmt.Sprintf("%d groups, want %d", len(got.groups), len(want.groups))
	}
	if !slices.Equal(got.shown, want.shown) {
		return fmt.Sprintf("shows %d hits\n%q\nwant %d\n%q", len(got.shown), got.shown, len(want.shown), want.shown)
	}
	if got.hidden != want.hidden || got.unsigned != want.unsigned {
		return fmt.Sprintf("%d hidden, %d unsigned; want %d, %d", got.hidden, got.unsigned, want.hidden, want.unsigned)
	}
	return ""
}
