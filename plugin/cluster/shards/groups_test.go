package shards_test

import (
	"context"
	"fmt"
	"hash/crc32"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// fill writes documents to their shards.
func fill(t *testing.T, c *shards.Set, docs []neartest.Doc) {
	t.Helper()
	var all []shards.Document
	for _, d := range docs {
		all = append(all, shards.Document{ID: d.ID, Data: map[string]any{"text": d.Text, "project": d.Fields["project"], "version": d.Fields["version"]}})
	}
	if err := c.Write(all...); err != nil {
		t.Fatal(err)
	}
}

func newTest(t *testing.T, p shards.Partial, all ...bleve.Index) *shards.Set {
	t.Helper()
	c, err := shards.New(newMapping(), shards.Options{Partial: p}, all...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// newMapping is that of all shards: what signatures are made with must be the same.
func newMapping() *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "text")
	project := bleve.NewTextFieldMapping()
	project.Analyzer = keyword.Name
	m.DefaultMapping.AddFieldMappingsAt("project", project)
	return m
}

func locals(t *testing.T, n int) (all []bleve.Index) {
	t.Helper()
	for i := range n {
		x, err := plugin.New("", newMapping())
		if err != nil {
			t.Fatal(err)
		}
		x.SetName(fmt.Sprint("shard ", i))
		t.Cleanup(func() { x.Close() })
		all = append(all, x)
	}
	return all
}

const key = "between shards"

// overHTTP returns shards that serve those given.
func overHTTP(t *testing.T, all []bleve.Index) (away []bleve.Index) {
	t.Helper()
	for _, x := range all {
		s := httptest.NewServer(shards.Authenticated(key, shards.Handler(x)))
		t.Cleanup(s.Close)
		away = append(away, shards.NewRemote(x.Name(), s.URL, shards.RemoteOptions{Timeout: time.Minute, Tries: 2, Key: key}))
	}
	return away
}

// manuals are those of two versions in one index, on four local shards, and on the same
// behind HTTP.
func manuals(t *testing.T) (one, local, away *shards.Set) {
	t.Helper()
	docs := slices.DeleteFunc(neartest.Shipped(t), func(d neartest.Doc) bool {
		_, name, _ := strings.Cut(d.ID, "/")
		return d.Fields["version"].(float64) < 15 || testing.Short() && !strings.Contains(strings.Join(copied, " "), name) && crc32.ChecksumIEEE([]byte(name))%4 > 0 // both versions or none
	})
	four := locals(t, 4)
	one, local = newTest(t, shards.FailClosed, locals(t, 1)...), newTest(t, shards.FailClosed, four...)
	fill(t, one, docs)
	fill(t, local, docs)
	return one, local, newTest(t, shards.FailClosed, overHTTP(t, four)...)
}

// groups is what a search shows on its pages, but for times, scores and the names of
// shards.
func groups(t *testing.T, c *shards.Set, r *bleve.SearchRequest, o collapse.Options) string {
	t.Helper()
	var b strings.Builder
	for {
		res, err := c.Search(context.Background(), r, o)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&b, res.Total, "matches")
		if projects := res.Facets["projects"]; projects != nil {
			for _, term := range projects.Terms.Terms() {
				fmt.Fprintln(&b, term.Term, term.Count)
			}
		}
		for _, g := range slices.Concat(res.Groups, res.Earlier) { // Earlier: copies of heads on the pages before
			fmt.Fprint(&b, g.Head.ID)
			for _, m := range g.Members {
				fmt.Fprintf(&b, " + %s %d %d %s", m.ID, m.Agree, m.Hamming, m.By)
			}
			fmt.Fprintln(&b)
		}
		if res.Next == nil {
			fmt.Fprintln(&b, res.TotalGroups, res.TotalGroupsRelation)
			return b.String()
		}
		o.Cursor = res.Next
	}
}

// The same documents give the same groups in one index, on four shards and on four
// behind HTTP, page by page, if the order does not depend on the statistics of a shard.
// By score it does: a word is rarer on one shard than on another, and so the two
// groups agree with each other, but not with the one index.
func TestGroups(t *testing.T) {
	t.Parallel()
	whole, parts, served := manuals(t)
	match := bleve.NewMatchQuery("compiler")
	match.SetField("text")
	for i, sort := range [][]string{{"_id"}, {"-version", "_id"}, {"project", "-_id"}, {"-_score", "_id"}} {
		if testing.Short() && i%3 > 0 {
			continue
		}
		size := 7
		if testing.Short() {
			size = 40
		}
		r := bleve.NewSearchRequestOptions(match, size, 0, false)
		r.SortBy(sort)
		r.AddFacet("projects", bleve.NewFacetRequest("project", 5))
		one := groups(t, whole, r, collapse.Options{})
		local := groups(t, parts, r, collapse.Options{})
		away := groups(t, served, r, collapse.Options{})
		if n := strings.Count(one, " + "); n < 20 {
			t.Fatalf("%v: %d hidden: this test shows little", sort, n)
		}
		if away != local {
			t.Errorf("%v: remote shards give\n%s\nlocal ones\n%s", sort, away, local)
		}
		if byScore := sort[0] == "-_score"; (local == one) == byScore {
			t.Errorf("%v: 4 shards give\n%s\none index\n%s", sort, local, one)
		}
	}
	checkFields(t, whole, parts, served)
	checkSimilar(t, whole, parts, served)
}

// checkFields: what groups by values shows is the same everywhere, too, on all its pages.
func checkFields(t *testing.T, whole, parts, served *shards.Set) {
	t.Helper()
	newest := search.SortOrder{&search.SortField{Field: "version", Desc: true}}
	for i, o := range []collapse.Options{
		{Within: []string{"project"}},
		{Within: []string{"project"}, Head: newest},
		{By: &collapse.By{Field: "project"}, Visible: 3},
		{By: &collapse.By{Field: "version", Or: true, Most: 9}},
		{By: &collapse.By{Field: "version"}, Within: []string{"project"}},
	} {
		match := bleve.NewMatchQuery("compiler")
		match.SetField("text")
		r := bleve.NewSearchRequestOptions(match, 40, 0, false)
		r.SortBy([]string{[]string{"version", "-version"}[i%2], "_id"})
		one := groups(t, whole, r, o)
		if n := strings.Count(one, " + "); n < 5 {
			t.Errorf("%d: %d hidden: this test shows little", i, n)
		}
		if local := groups(t, parts, r, o); local != one {
			t.Errorf("%d: 4 shards give\n%s\none index\n%s", i, local, one)
		}
		if away := groups(t, served, r, o); away != one {
			t.Errorf("%d: remote shards give\n%s\none index\n%s", i, away, one)
		}
	}
}

// copied are documents that have near-duplicates.
var copied = []string{"llvm-16/Vectorizers", "llvm-16/LoopTerminology", "clang-15/APINotes"}

// checkSimilar: near-duplicates are found on all shards, in one order, that of
// resemblance, which no shard's statistics have a part in.
func checkSimilar(t *testing.T, all ...*shards.Set) {
	t.Helper()
	want, found := "", 0
	for i, c := range all {
		var got strings.Builder
		for _, id := range copied {
			res, err := c.Similar(context.Background(), near.SimilarRequest{Query: near.SimilarQuery{ID: id, MaxShare: 1}})
			if err != nil {
				t.Fatal(err)
			}
			for _, hit := range res.Hits {
				found++
				fmt.Fprintln(&got, id, hit.ID, hit.Match, hit.Resemblance, res.Total, res.TotalRelation)
			}
		}
		if want == "" {
			want = got.String()
		}
		if got.String() != want || found == 0 {
			t.Errorf("group %d: got\n%s\nwant\n%s", i, &got, want)
		}
	}
}

// submit submits one document.
func submit(ctx context.Context, c *shards.Set, id string, data any) (shards.Outcome, error) {
	v, err := c.Submit(ctx, shards.Document{ID: id, Data: data})
	if len(v) == 0 {
		return shards.Outcome{}, err
	}
	return v[0], err
}

// A copy is found on another shard than the one that it would be written to, and a
// document is no copy of what it replaces.
func TestSubmit(t *testing.T) {
	t.Parallel()
	for name, all := range map[string][]bleve.Index{"local": locals(t, 4), "remote": overHTTP(t, locals(t, 4))} {
		c := newTest(t, shards.FailClosed, all...)
		ctx := context.Background()
		owners := map[string]bool{}
		for i := range 12 {
			id := fmt.Sprint("mail ", i)
			v, err := submit(ctx, c, id, map[string]any{"text": fmt.Sprint(letter, " ref ", i)})
			if err != nil {
				t.Fatal(err)
			}
			if v.Written != (i == 0) || i > 0 && (v.Of == nil || v.Of.ID != "mail 0") {
				t.Errorf("%s: %s: got %+v", name, id, v)
			}
			owners[c.Owner(id).Name()] = true
		}
		if len(owners) != 4 {
			t.Fatalf("owners %v: this test shows little", owners)
		}
		if v, err := submit(ctx, c, "mail 0", map[string]any{"text": letter + " ref 99"}); err != nil || !v.Written {
			t.Errorf("%s: written again: got %+v, error %v", name, v, err)
		}
		if v, err := submit(ctx, c, "no text", map[string]any{"project": "none"}); err != nil || !v.Written {
			t.Errorf("%s: no text: got %+v, error %v", name, v, err)
		}
		if err := c.Owner("mail 0").Delete("mail 0"); err != nil {
			t.Fatal(err)
		}
		if v, err := submit(ctx, c, "mail 7", map[string]any{"text": letter}); err != nil || !v.Written {
			t.Errorf("%s: the first is deleted: got %+v, error %v", name, v, err)
		}
	}
}

// Of near-duplicates that come at once, exactly one is written.
func TestSubmitAtOnce(t *testing.T) {
	t.Parallel()
	c := newTest(t, shards.FailClosed, overHTTP(t, locals(t, 4))...)
	written := make([]bool, 8)
	var all sync.WaitGroup
	for i := range written {
		all.Go(func() {
			v, err := submit(context.Background(), c, fmt.Sprint("mail ", i), map[string]any{"text": letter})
			if err != nil {
				t.Error(err)
			}
			written[i] = v.Written
		})
	}
	all.Wait()
	if n := len(slices.DeleteFunc(written, func(w bool) bool { return !w })); n != 1 {
		t.Errorf("%d were written, want 1", n)
	}
}
