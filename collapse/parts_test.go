package collapse_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/hits"
)

// away is an index in another process, as far as Search can tell. Package plugin/cluster/internal/rpc shows that
// what it is asked and answers crosses to one.
type away struct {
	inner
	asked *atomic.Int64
}

// remotely is away, not counted.
func remotely(x bleve.Index) bleve.Index { return away{x, new(atomic.Int64)} }

// Advanced implements bleve.Index: an index in another process has no inside here.
func (away) Advanced() (index.Index, error) { return nil, errors.New("remote") }

func (away) Mapping() mapping.IndexMapping { return nil }

// Rank implements hits.Ranker: it gives hits until as many as are wanted are near no other that it gives.
func (x away) Rank(ctx context.Context, r *bleve.SearchRequest, o *hits.Options, visible int) (*hits.Answer, error) {
	x.asked.Add(1)
	h, err := hits.Open(x.inner, r, hits.Options{Field: o.Field, Rule: o.Rule, Fields: o.Fields, Visible: o.Visible})
	if err != nil {
		return nil, err
	}
	defer h.Close()
	a := new(hits.Answer)
	var heads []hits.Hit
	var load search.DocumentMatchCollection
	for len(a.Ranked) < r.Size {
		hit, err := h.Next(ctx, visible, r.Size-len(a.Ranked))
		if err != nil {
			return nil, err
		}
		if hit == nil {
			break
		}
		a.More = len(a.Ranked) == r.Size-1
		shown := !slices.ContainsFunc(heads, func(head hits.Hit) bool {
			return head.Err == nil && hit.Err == nil && head.Scope == hit.Scope && o.Rule.Duplicates(head.Signature, hit.Signature)
		})
		if shown && len(heads) == visible {
			a.More = true
			break
		}
		if shown {
			heads = append(heads, hits.Hit{Hit: *hit})
		}
		one := hits.Hit{Hit: *hit, Values: slices.Clone(h.Values()), Bare: !shown && h.Loads()}
		if one.Bare {
			one.Fields, one.Fragments = nil, nil
		} else {
			load = append(load, one.DocumentMatch)
		}
		a.Ranked = append(a.Ranked, one)
	}
	a.SearchResult = h.Result()
	return a, h.Load(ctx, load)
}

// layouts are the same parts in ways that parts can be put together.
func layouts(parts []bleve.Index, asked *atomic.Int64) map[string]bleve.Index {
	all := map[string]bleve.Index{"plain": bleve.NewIndexAlias(parts...)}
	remote, mixed, nodes := bleve.NewIndexAlias(), bleve.NewIndexAlias(), bleve.NewIndexAlias()
	for i, x := range parts {
		remote.Add(away{x, asked})
		mixed.Add([]bleve.Index{x, away{x, asked}}[i%2])
	}
	half := len(parts) / 2
	nodes.Add(away{bleve.NewIndexAlias(parts[:half]...), asked}, bleve.NewIndexAlias(parts[half:]...))
	all["remote"], all["mixed"], all["nodes"] = remote, mixed, nodes
	return all
}

func partsOf(t *testing.T, n int, docs map[string]page) (parts []bleve.Index) {
	t.Helper()
	of := make([]map[string]page, n)
	for i := range of {
		of[i] = map[string]page{}
	}
	for i, id := range slices.Sorted(maps.Keys(docs)) {
		of[i%n][id] = docs[id]
	}
	for i, docs := range of {
		x := newMappedIndex(t, withFields(newMapping("")), docs)
		x.SetName(fmt.Sprint("part", i))
		parts = append(parts, x)
	}
	return parts
}

// A page takes one question to each part, in any order.
func TestWantOneRound(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	x := layouts(partsOf(t, 5, families(rand.New(rand.NewPCG(70, 1)), 200, 60)), &asked)["remote"]
	match := bleve.NewMatchQuery("common")
	match.SetField("body")
	for _, sort := range [][]string{{"-_score"}, {"version"}, {"_id"}, {"project", "-_id"}} {
		r := bleve.NewSearchRequest(match)
		r.SortBy(sort)
		asked.Store(0)
		res, err := collapse.Search(context.Background(), x, r, collapse.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if n := asked.Load(); n != 5 || len(res.Hits) != 10 {
			t.Errorf("%v: %d questions to 5 parts, %d hits", sort, n, len(res.Hits))
		}
	}
}

// afar is an index of which nothing but searches can be had.
type afar struct{ anyIndex }

type anyIndex = bleve.Index

func (afar) Mapping() mapping.IndexMapping      { return nil }
func (afar) Advanced() (index.Index, error)     { return nil, errors.New("afar") }
func (afar) GetInternal([]byte) ([]byte, error) { return nil, errors.New("afar") }

func (a afar) Search(r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	return a.SearchInContext(context.Background(), r)
}
