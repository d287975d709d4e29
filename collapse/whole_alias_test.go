package collapse_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
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
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
)

// split spreads docs over n indexes, and returns these, and one that has all. Some documents have
// a place, too.
func split(t *testing.T, n int, docs map[string]page) (members []bleve.Index, one bleve.Index) {
	t.Helper()
	m := withFields(newMapping(""))
	m.DefaultMapping.AddFieldMappingsAt("place", bleve.NewGeoPointFieldMapping())
	open := func(name string) (bleve.Index, *bleve.Batch) {
		x, err := plugin.New("", m)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		x.SetName(name)
		return x, x.NewBatch()
	}
	one, all := open("one")
	var batches []*bleve.Batch
	for i := range n {
		x, batch := open(fmt.Sprint("part", i))
		members, batches = append(members, x), append(batches, batch)
	}
	for i, id := range slices.Sorted(maps.Keys(docs)) {
		doc := docs[id].data()
		if i%3 > 0 {
			doc["place"] = map[string]any{"lon": 1 + float64(i%7)/10, "lat": 1.0}
		}
		if err := errors.Join(all.Index(id, doc), batches[hash(id)%uint32(n)].Index(id, doc)); err != nil {
			t.Fatal(err)
		}
	}
	flush(t, one, all)
	for i, x := range members {
		flush(t, x, batches[i])
	}
	return members, one
}

// aliases are ways to search members as one index.
func aliases(members []bleve.Index) map[string]bleve.Index {
	all := map[string]bleve.Index{"plain": bleve.NewIndexAlias(members...)}
	half := len(members) / 2
	nested := bleve.NewIndexAlias(bleve.NewIndexAlias(bleve.NewIndexAlias(members[half:]...)))
	nested.Add(members[:half]...)
	all["nested"] = nested
	return all
}

// plainly is what a result says, without scores, the names of indexes, and how it was found.
func plainly(t *testing.T, r *collapse.Result) string {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"took", "cost", "status", "max_score", "request"} {
		delete(v, name)
	}
	var strip func(v any)
	strip = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			delete(v, "index")
			delete(v, "score")
			for _, of := range v {
				strip(of)
			}
		case []any:
			for _, of := range v {
				strip(of)
			}
		}
	}
	strip(v)
	data, err = json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Whatever the order, the whole form on an alias shows what the oracle makes of the alias's own
// ranking.
func TestWholeAliasAgainstOracle(t *testing.T) {
	t.Parallel()
	docs := fieldDocs(43, 30)
	for n := 2; n <= 4; n++ {
		members, _ := split(t, n, docs)
		for layout, alias := range aliases(members) {
			for i := range 3 {
				rnd := rand.New(rand.NewPCG(uint64(n*10+i), uint64(hash(layout))))
				o := drawOptions(rnd)
				match := bleve.NewMatchQuery("common w7 w8")
				match.SetField("body")
				r := bleve.NewSearchRequestOptions(match, 9, 0, false)
				if i == 0 {
					o = collapse.Options{Visible: n - 1, Rule: signature.Rule{Lanes: 20, Mode: signature.SketchOnly}} // loose: families are no cliques
				} else if by := [][]string{nil, {"word", "-_score"}, {"-_score", "_id"}}[rnd.IntN(3)]; by != nil {
					r.SortBy(by)
				}
				t.Run(fmt.Sprintf("%d %s %s", n, layout, asText(o)), func(t *testing.T) {
					t.Parallel()
					for range 3 { // once families are known, too
						checkWhole(t, alias, r, o)
					}
				})
			}
		}
	}
}

// With bleve's global scoring, scores on an alias are as on one index, and so are groups, as far as
// TestSearchAliasByScore says.
func TestWholeAliasByGlobalScore(t *testing.T) {
	t.Parallel()
	docs := families(rand.New(rand.NewPCG(4, 4)), 200, 100)
	for i, id := range slices.Sorted(maps.Keys(docs)) {
		d := docs[id]
		d.Body += strings.Repeat(" usual", 1+i%3)
		if i%4 == 0 { // else the shards would have the same mean length anyway
			d.Body += strings.Repeat(fmt.Sprintf(" filler%d", i), 60)
		}
		docs[id] = d
	}
	one, alias := shards(t, index.BM25Scoring, docs)
	globally := context.WithValue(context.Background(), search.SearchTypeKey, search.GlobalScoring)
	match := bleve.NewMatchQuery("common usual")
	match.SetField("body")
	r := bleve.NewSearchRequestOptions(match, 1000, 0, false)
	o := collapse.Options{Whole: true}
	want, err := collapse.Search(context.Background(), one, r, o)
	if err != nil {
		t.Fatal(err)
	}
	got, err := collapse.Search(globally, alias, r, o)
	if err != nil || plainly(t, got) != plainly(t, want) {
		t.Errorf("error %v: got\n%.2000s\nwant\n%.2000s", err, plainly(t, got), plainly(t, want))
	}
	own, err := alias.SearchInContext(globally, bleve.NewSearchRequestOptions(match, 1000, 0, false))
	if err != nil {
		t.Fatal(err)
	}
	scores := map[string]float64{}
	for _, hit := range own.Hits {
		scores[hit.ID] = hit.Score
	}
	for _, hit := range got.Hits {
		if hit.Score != scores[hit.ID] {
			t.Fatalf("hit %s scores %v, and %v in bleve's own search", hit.ID, hit.Score, scores[hit.ID])
		}
	}
	local, err := collapse.Search(context.Background(), alias, r, o)
	if err != nil || plainly(t, local) == plainly(t, want) {
		t.Errorf("error %v, or the same without global scoring: this test shows nothing", err)
	}
}

// Explanations, locations and fragments are those that bleve gives on the alias.
func TestWholeAliasExplains(t *testing.T) {
	t.Parallel()
	members, _ := split(t, 3, fieldDocs(45, 40))
	alias := bleve.NewIndexAlias(members...)
	match := bleve.NewMatchQuery("common w7 w8")
	match.SetField("body")
	r := bleve.NewSearchRequestOptions(match, 15, 4, true)
	r.IncludeLocations, r.Highlight = true, bleve.NewHighlight()
	all := *r
	all.From, all.Size = 0, 1000
	res, err := alias.Search(&all)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]*search.DocumentMatch{}
	for _, hit := range res.Hits {
		want[hit.ID] = hit
	}
	got, err := collapse.Search(t.Context(), alias, r, collapse.Options{Whole: true})
	if err != nil || len(got.Hits) != 15 {
		t.Fatalf("%d hits, error %v", len(got.Hits), err)
	}
	for _, hit := range got.Hits {
		a, err := json.Marshal(hit)
		b, err2 := json.Marshal(want[hit.ID])
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) || hit.Expl == nil || len(hit.Fragments) == 0 || len(hit.Locations) == 0 {
			t.Fatalf("got\n%s\nwant\n%s", a, b)
		}
	}
}

// Documents of the same id in two members are two: they tie, and come in the order of the names of
// their indexes.
func TestWholeAliasSameIDs(t *testing.T) {
	t.Parallel()
	var members []bleve.Index
	for _, name := range []string{"c", "a", "b"} {
		docs := families(rand.New(rand.NewPCG(46, uint64(name[0]))), 60, 40)
		mixed := map[string]page{}
		for i, id := range slices.Sorted(maps.Keys(docs)) {
			p := docs[id]
			p.Version = float64(i % 3)
			if i%2 == 0 && i > 0 {
				p.Body = fmt.Sprintf("%s %s", strings.Repeat(fmt.Sprintf("common words of pair %d that all of them have ", i), 4), name)
			}
			if i%5 == 0 {
				p.Body = ""
			}
			mixed[fmt.Sprint("same", i)] = p
		}
		x := newIndex(t, mixed)
		x.SetName(name)
		members = append(members, x)
	}
	alias := bleve.NewIndexAlias(members...)
	r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 1000, 0, false)
	r.SortBy([]string{"-version"})
	var hits []rankedHit
	for _, x := range members {
		hits = append(hits, rank(t, x, r).hits...)
	}
	slices.SortStableFunc(hits, func(a, b rankedHit) int {
		return cmp.Or(cmp.Compare(b.Sort[0], a.Sort[0]), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Index, b.Index))
	})
	var want [][]string
	var heads []*signature.Signature
	for _, hit := range hits {
		at := slices.IndexFunc(heads, func(head *signature.Signature) bool {
			return head != nil && hit.sig != nil && signature.Rule{}.Duplicates(head, hit.sig)
		})
		if at < 0 {
			at, heads, want = len(heads), append(heads, hit.sig), append(want, nil)
		}
		want[at] = append(want[at], hit.Index+"/"+hit.ID)
	}
	var got [][]string
	for r.Size = 7; ; r.From += r.Size {
		res, err := collapse.Search(t.Context(), alias, r, collapse.Options{Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Hits) == 0 {
			break
		}
		for i, g := range res.Groups {
			if g.Head.ID != res.Hits[i].ID || g.Head.Index != res.Hits[i].Index || res.TotalGroups != len(want) {
				t.Fatalf("hit %+v, group of %+v, %d groups; wanted %d", res.Hits[i], g.Head, res.TotalGroups, len(want))
			}
			all := []string{g.Head.Index + "/" + g.Head.ID}
			for _, m := range g.Members {
				all = append(all, m.Index+"/"+m.ID)
			}
			got = append(got, all)
		}
	}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
}

// Members end as soon as all have met more matches than the budget, and the page form answers.
func TestWholeAliasManyMatches(t *testing.T) {
	t.Parallel()
	var members []bleve.Index
	each := size(2500, 1100) // matches are counted by the thousand
	for i := range 3 {
		x := newIndex(t, nil)
		x.SetName(fmt.Sprint("part", i))
		batch := x.NewBatch()
		for n := range each {
			if err := batch.Index(fmt.Sprint(i, " ", n), map[string]any{"project": fmt.Sprint(n % 7)}); err != nil {
				t.Fatal(err)
			}
		}
		flush(t, x, batch)
		members = append(members, x)
	}
	r := byID(bleve.NewMatchAllQuery())
	for budget, want := range map[int]int{3 * each: 7, 3*each - 1: 0, 8 * each / 5: 0, 1: 0} {
		res, err := collapse.Search(t.Context(), bleve.NewIndexAlias(members...), r, collapse.Options{Whole: true, By: &collapse.By{Field: "project"}, Budget: budget})
		if want == 0 && !errors.Is(err, collapse.ErrTooMany) || want > 0 && (err != nil || res.TotalGroups != want || res.Total != 7 || res.TotalGroupsRelation != bleve.TotalRelationEq) {
			t.Errorf("budget %d: got %+v, error %v", budget, res, err)
		}
	}
}

var manyTies = flag.Bool("ties", false, "run a test that writes many documents, too")

// Where so many matches tie that bleve has to rank them, all members are asked again.
func TestWholeAliasManyTies(t *testing.T) {
	t.Parallel()
	if !*manyTies {
		t.Skip("writes 74,000 documents: needs -ties")
	}
	m := newMapping("")
	m.DefaultMapping.Dynamic = false
	var members []bleve.Index
	for i, n := range []int{74_000, 3} {
		x := newMappedIndex(t, m, nil)
		x.SetName(fmt.Sprint("part", i))
		batch := x.NewBatch()
		for n := range n {
			if err := batch.Index(fmt.Sprintf("%05d", n), map[string]any{}); err != nil {
				t.Fatal(err)
			}
		}
		flush(t, x, batch)
		members = append(members, x)
	}
	r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 8, 0, false)
	res, err := collapse.Search(t.Context(), bleve.NewIndexAlias(members...), r, collapse.Options{Whole: true, By: &collapse.By{Field: "none"}})
	if err != nil || res.Total != 74_003 || res.TotalGroups != 74_003 || len(res.Hits) != 8 {
		t.Fatalf("got %+v, error %v", res, err)
	}
	for i, want := range []string{"00000", "00000", "00001", "00001", "00002", "00002", "00003", "00004"} {
		if res.Hits[i].ID != want {
			t.Errorf("hit %d is %s, want %s", i, res.Hits[i].ID, want)
		}
	}
}

// gated is an index that searches once it is told to.
type gated struct {
	inner
	open chan struct{}
}

func (g gated) SearchInContext(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	select {
	case <-g.open:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return g.inner.SearchInContext(ctx, r)
}

// stubborn is an index that searches for something else.
type stubborn struct{ inner }

func (x stubborn) SearchInContext(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	own := *r
	own.Query = bleve.NewMatchAllQuery()
	return x.inner.SearchInContext(ctx, &own)
}

// Members that cannot be collapsed as a whole, or not now, are an error, or the result says so.
func TestWholeAliasMembers(t *testing.T) {
	t.Parallel()
	docs := families(rand.New(rand.NewPCG(47, 1)), 30, 30)
	a, b := newIndex(t, docs), newIndex(t, docs)
	a.SetName("a")
	b.SetName("b")
	plain, err := bleve.NewUsing("", newMapping(""), "scorch", "scorch", nil)
	if err != nil {
		t.Fatal(err)
	}
	plain.SetName("plain")
	t.Cleanup(func() { plain.Close() })
	r := byID(bleve.NewMatchAllQuery())
	o := collapse.Options{Whole: true}
	if _, err := collapse.Search(t.Context(), bleve.NewIndexAlias(a, stubborn{b}), r, o); err == nil || !strings.Contains(err.Error(), `index "b" to search by the query that it was given`) {
		t.Errorf("a member that makes another query: got error %v", err)
	}
	for want, x := range map[string]bleve.Index{
		`wanted an alias of different indexes, got index "a" twice`: bleve.NewIndexAlias(a, bleve.NewIndexAlias(a, b)),
		`index "plain": wanted an index of type "neardup"`:          bleve.NewIndexAlias(a, plain),
	} {
		if _, err := collapse.Search(t.Context(), x, r, o); !errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one with %q", err, want)
		}
	}
	o.Missing = collapse.KeepMissing
	load(t, plain, map[string]page{"1": {Body: "one"}, "2": {Body: "two"}})
	res, err := collapse.Search(t.Context(), bleve.NewIndexAlias(a, plain), r, o)
	if err != nil || res.Unsigned != 2 {
		t.Errorf("with an index without signatures: %d unsigned, error %v", res.Unsigned, err)
	}
	o.Missing = ""

	other, err := plugin.New("", seeded(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	other.SetName("other")
	load(t, other, docs)
	res, err = collapse.Search(t.Context(), bleve.NewIndexAlias(a, other), r, o)
	if err != nil || res.Foreign == 0 || !errors.Is(res.Status.Errors["other"], collapse.ErrForeign) && !errors.Is(res.Status.Errors["a"], collapse.ErrForeign) {
		t.Errorf("with signatures of other parameters: got %+v, error %v", res, err)
	}

	// All are asked for as the largest int, here too.
	most := byID(bleve.NewMatchAllQuery())
	most.Size = math.MaxInt
	res, err = collapse.Search(t.Context(), bleve.NewIndexAlias(a, b), most, o)
	if err != nil || len(res.Hits) != res.TotalGroups || res.TotalGroups == 0 || res.Hidden != 2*len(docs)-res.TotalGroups {
		t.Errorf("all: got %d hits, error %v", len(res.Hits), err)
	}

	// All matches together are within the budget, or it is an error.
	n := 2 * len(docs)
	for budget, want := range map[int]error{n: nil, n - 1: collapse.ErrTooMany, len(docs) - 1: collapse.ErrTooMany} {
		o.Budget = budget
		res, err := collapse.Search(t.Context(), bleve.NewIndexAlias(a, b), r, o)
		if !errors.Is(err, want) || want == nil && res.TotalGroupsRelation != bleve.TotalRelationEq {
			t.Errorf("budget %d: got error %v, want %v", budget, err, want)
		}
	}
	o.Budget = 0

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := collapse.Search(ctx, bleve.NewIndexAlias(a, gated{b, nil}), r, o); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a member that does not answer: got error %v", err)
	}

	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	alone, err := collapse.Search(t.Context(), a, r, o)
	if err != nil {
		t.Fatal(err)
	}
	res, err = collapse.Search(t.Context(), bleve.NewIndexAlias(a, b), r, collapse.Options{Whole: true, Complete: true})
	if err != nil || res.Status.Failed != 1 || res.Status.Errors["b"] != bleve.ErrorIndexClosed ||
		res.TotalGroups != alone.TotalGroups || res.TotalGroupsRelation != bleve.TotalRelationGte || res.Complete {
		t.Errorf("a member is closed: got %+v, error %v", res, err)
	}
	res, err = collapse.Search(t.Context(), bleve.NewIndexAlias(b, closed(t)), r, o)
	if err != nil || res.Status.Failed != 2 || res.TotalGroupsRelation != bleve.TotalRelationGte {
		t.Errorf("all members are closed: got %+v, error %v", res, err)
	}
	whole := bleve.NewIndexAlias(a, newIndex(t, nil))
	if err := whole.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err = collapse.Search(t.Context(), whole, r, o); !errors.Is(err, bleve.ErrorIndexClosed) {
		t.Errorf("the alias is closed: got error %v", err)
	}
}

// seeded makes other signatures than newMapping.
func seeded(t *testing.T) *mapping.IndexMappingImpl {
	t.Helper()
	m := bleve.NewIndexMapping()
	if err := m.AddCustomAnalyzer("seeded", map[string]any{"type": "neardup", "seed": 9}); err != nil {
		t.Fatal(err)
	}
	m.DefaultMapping.AddFieldMappingsAt("body", bleve.NewTextFieldMapping(), plugin.FieldMapping("seeded"))
	return m
}

func closed(t *testing.T) bleve.Index {
	x := newIndex(t, nil)
	x.SetName("closed")
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	return x
}

// Two searches, each of which has locked a member that is about to be closed and waits for the other
// member, would wait for ever.
func TestWholeAliasWhileClosing(t *testing.T) {
	t.Parallel()
	docs := families(rand.New(rand.NewPCG(48, 1)), 10, 30)
	a, b := newIndex(t, docs), newIndex(t, docs)
	open := make(chan struct{})
	done := make(chan error, 4)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, x := range []bleve.Index{bleve.NewIndexAlias(a, gated{b, open}), bleve.NewIndexAlias(gated{a, open}, b)} {
		go func() {
			_, err := collapse.Search(ctx, x, byID(bleve.NewMatchAllQuery()), collapse.Options{Whole: true})
			done <- err
		}()
	}
	time.Sleep(20 * time.Millisecond) // each has come as far as it can
	for _, x := range []bleve.Index{a, b} {
		go func() { done <- x.Close() }()
	}
	time.Sleep(20 * time.Millisecond)
	close(open)
	for range 4 {
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(time.Minute):
			cancel()
			t.Fatal("searches and Close wait for each other")
		}
	}
}

// A search sees one snapshot of each member, whatever is written meanwhile.
func TestWholeAliasWhileWritten(t *testing.T) {
	t.Parallel()
	const each = 30
	var members []bleve.Index
	write := func(x bleve.Index, generation int) error {
		batch := x.NewBatch()
		for i := range each {
			if generation > 0 {
				batch.Delete(fmt.Sprintf("%s.%d.%d", x.Name(), generation-1, i))
			}
			text := strings.Repeat(fmt.Sprintf("common text of family %d and of nothing else at all ", i%10), 4)
			if err := batch.Index(fmt.Sprintf("%s.%d.%d", x.Name(), generation, i), map[string]any{"body": text, "version": generation}); err != nil {
				return err
			}
		}
		return x.Batch(batch)
	}
	for i := range 3 {
		x := newIndex(t, nil)
		x.SetName(fmt.Sprint("part", i))
		members = append(members, x)
		if err := write(x, 0); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, len(members))
	for _, x := range members {
		go func() {
			var err error
			for generation := 1; err == nil && ctx.Err() == nil; generation++ {
				err = write(x, generation)
			}
			done <- err
		}()
	}
	alias := bleve.NewIndexAlias(members...)
	for n := range 40 {
		r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 100, 0, false)
		if n%2 == 0 {
			r.SortBy([]string{"-version", "_id"})
		}
		res, err := collapse.Search(t.Context(), alias, r, collapse.Options{Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		if res.Total != 10 || res.TotalGroups != 10 || len(res.Groups) != 10 || res.Hidden != each*len(members)-10 {
			t.Fatalf("%d hits, %d groups, %d hidden; wanted 10, 10, %d", res.Total, res.TotalGroups, res.Hidden, each*len(members)-10)
		}
		seen := map[string]int{}
		for _, g := range res.Groups {
			for _, id := range append(memberIDs(g), g.Head.ID) {
				seen[id[:strings.LastIndexByte(id, '.')]]++
			}
		}
		if len(seen) != len(members) || slices.ContainsFunc(slices.Collect(maps.Values(seen)), func(n int) bool { return n != each }) {
			t.Fatalf("got documents of %v, wanted %d of one generation of each member", seen, each)
		}
	}
	cancel()
	for range members {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
