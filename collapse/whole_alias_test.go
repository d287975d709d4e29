package collapse_test

import (
	"context"
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

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
)

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
	res, err := collapse.Search(t.Context(), bleve.NewIndexAlias(members...), r, collapse.Options{Whole: true, By: &collapse.By{Field: "project"}})
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
	if err != nil || res.Foreign == 0 {
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
