//go:build vectors

package vectors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
)

const dims = 8

// newIndex has 60 families of four near-copies, whose vectors lie close together.
func newIndex(t *testing.T, begin, step int) bleve.Index {
	t.Helper()
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	v := bleve.NewVectorFieldMapping()
	v.Dims, v.Similarity = dims, "l2_norm"
	m.DefaultMapping.AddFieldMappingsAt("vec", v)
	m.DefaultMapping.AddFieldMappingsAt("kind", bleve.NewKeywordFieldMapping())
	x, err := plugin.New("", m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	x.SetName(fmt.Sprint("x", begin)) // by which an alias tells apart what vectors find
	rnd := rand.New(rand.NewPCG(1, 2))
	batch := x.NewBatch()
	for family := range 60 {
		words := make([]string, 300)
		for i := range words {
			words[i] = fmt.Sprintf("w%d", rnd.IntN(400))
		}
		vector := make([]float32, dims)
		for i := range vector {
			vector[i] = rnd.Float32()
		}
		for copies := range 4 {
			own, at := slices.Clone(words), slices.Clone(vector)
			if copies > 0 {
				own[150] = fmt.Sprintf("changed%d", copies)
			}
			at[copies] += .01 * float32(copies)
			if n := 4*family + copies; n%step != begin {
				continue
			}
			doc := map[string]any{"body": strings.Join(own, " "), "vec": at, "kind": fmt.Sprintf("k%d", family%3)}
			if err := batch.Index(fmt.Sprintf("f%02d-%d", family, copies), doc); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := x.Batch(batch); err != nil {
		t.Fatal(err)
	}
	return x
}

var queries = []string{"knn", "or", "and", "filter", "rrf", "rsf"}

// request asks for the k nearest, with a query or without.
func request(kind string, k int64) *bleve.SearchRequest {
	match := bleve.NewMatchQuery("w7 w8")
	match.SetField("body")
	r := bleve.NewSearchRequest(match)
	if kind == "knn" || kind == "filter" {
		r.Query = bleve.NewMatchNoneQuery()
	}
	near := []float32{.5, .5, .5, .5, .5, .5, .5, .5}
	if kind == "filter" {
		only := bleve.NewTermQuery("k1")
		only.SetField("kind")
		r.AddKNNWithFilter("vec", near, k, 1, only)
	} else {
		r.AddKNN("vec", near, k, 1)
	}
	switch kind {
	case "and":
		r.AddKNN("vec", []float32{1, 0, 1, 0, 1, 0, 1, 0}, k, 1)
		r.AddKNNOperator("and")
	case "rrf", "rsf":
		r.Score = kind
		r.Params = &bleve.RequestParams{ScoreRankConstant: 60, ScoreWindowSize: 300}
	}
	return r
}

// oracle is the naive collapse of all of bleve's hits.
func oracle(t *testing.T, x bleve.Index, r *bleve.SearchRequest) (groups [][]string) {
	t.Helper()
	all := *r
	all.From, all.Size, all.Fields = 0, 300, []string{signature.Field(signature.DefaultField).Sketch()}
	if r.Params == nil {
		all.SortBy([]string{"-_score", "_id"})
	}
	res, err := x.Search(&all)
	if err != nil {
		t.Fatal(err)
	}
	var heads []*signature.Signature
	for _, hit := range res.Hits {
		sig := new(signature.Signature)
		if err := sig.UnmarshalText([]byte(hit.Fields[all.Fields[0]].(string))); err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(heads, func(h *signature.Signature) bool { return (signature.Rule{}).Duplicates(h, sig) })
		if at < 0 {
			at = len(heads)
			heads, groups = append(heads, sig), append(groups, nil)
		}
		groups[at] = append(groups[at], hit.ID)
	}
	return groups
}

// gather puts pages together again.
func gather(t *testing.T, x bleve.Index, r *bleve.SearchRequest, o collapse.Options, byCursor bool) (groups [][]string) {
	t.Helper()
	at := map[string]int{}
	for page := *r; ; {
		asked := page
		res, err := collapse.Search(context.Background(), x, &asked, o)
		if err != nil {
			t.Fatal(err)
		}
		for n, g := range slices.Concat(res.Groups, res.Earlier) {
			if n < len(res.Groups) {
				if _, ok := at[g.Head.ID]; ok {
					t.Fatalf("head %q comes twice", g.Head.ID)
				}
				at[g.Head.ID] = len(groups)
				groups = append(groups, []string{g.Head.ID})
			}
			i, ok := at[g.Head.ID]
			if !ok {
				t.Fatalf("%q was not shown", g.Head.ID)
			}
			for _, m := range g.Members {
				groups[i] = append(groups[i], m.ID)
			}
		}
		if res.Next == nil {
			return groups
		}
		if page.From += page.Size; byCursor {
			page.From = 0
			data, err := json.Marshal(res.Next)
			if err != nil {
				t.Fatal(err)
			}
			o.Cursor = new(collapse.Cursor)
			if err := json.Unmarshal(data, o.Cursor); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Pages of hits that a query found, or vectors, or both, are the oracle's, by From and
// by cursor.
func TestPages(t *testing.T) {
	one := newIndex(t, 0, 1)
	alias := bleve.NewIndexAlias(newIndex(t, 0, 2), newIndex(t, 1, 2))
	for name, x := range map[string]bleve.Index{"one": one, "alias": alias} {
		for _, kind := range queries {
			if name == "alias" && kind[0] == 'r' {
				continue // bleve has no order for hits of several indexes that fusion lets tie
			}
			for _, k := range []int64{10, 100} {
				for _, byCursor := range []bool{true, false} {
					for _, size := range []int{3, 25} {
						t.Run(fmt.Sprintf("%s,%s,%d,%v,%d", name, kind, k, byCursor, size), func(t *testing.T) {
							r := request(kind, k)
							r.Size = size
							want := oracle(t, x, r)
							if len(want) < 3 {
								t.Fatalf("the oracle has %d groups", len(want))
							}
							got := gather(t, x, r, collapse.Options{}, byCursor)
							if !slices.EqualFunc(got, want, slices.Equal) {
								n := 0
								for n < min(len(got), len(want)) && slices.Equal(got[n], want[n]) {
									n++
								}
								t.Errorf("got %d groups, want %d; behind %d equal ones %q, want %q", len(got), len(want), n, got[n:min(n+3, len(got))], want[n:min(n+3, len(want))])
							}
						})
					}
				}
			}
		}
	}
}

// What the whole form cannot see, it rejects.
func TestWhole(t *testing.T) {
	x := newIndex(t, 0, 1)
	for _, kind := range queries {
		_, err := collapse.Search(context.Background(), x, request(kind, 10), collapse.Options{Whole: true})
		if !errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), "collapse: whole cannot be combined with ") {
			t.Errorf("%s: got error %v", kind, err)
		}
	}
}

// Inner hits have those that vectors alone found, with fields.
func TestInnerHits(t *testing.T) {
	x := newIndex(t, 0, 1)
	for _, kind := range queries[:4] {
		for _, by := range []search.SortOrder{nil, {&search.SortDocID{Desc: true}}} {
			o := collapse.Options{InnerHits: []collapse.InnerHits{{Name: "all", Size: 10, Fields: []string{"kind"}, Sort: by}}}
			res, err := collapse.Search(context.Background(), x, request(kind, 100), o)
			if err != nil {
				t.Fatal(err)
			}
			members := 0
			for _, g := range res.Groups {
				var got, want []string
				for _, hit := range g.InnerHits["all"].Hits {
					if hit.Fields["kind"] == nil {
						t.Errorf("%s: %s has no fields", kind, hit.ID)
					}
					got = append(got, hit.ID)
				}
				for _, m := range g.Members {
					want = append(want, m.ID)
				}
				if by != nil {
					slices.Sort(want)
					slices.Reverse(want)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s: inner hits of %s are %q, want %q", kind, g.Head.ID, got, want)
				}
				members += len(want)
			}
			if members == 0 {
				t.Errorf("%s: no group has members", kind)
			}
		}
	}
}
