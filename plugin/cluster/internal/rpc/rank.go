package rpc

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/hits"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// Want is what a hits.Ranker in this process asks of the other, beside the request. All shards walk by one Rule: a
// shard does not look at its own.
type Want struct {
	Field  string         `json:"field,omitempty"`
	Rule   signature.Rule `json:"rule,omitzero"`
	Fields fields.Options `json:"fields,omitzero"`

	// Visible is how many hits are to be visible, and PerGroup how many of a group are.
	Visible  int `json:"visible"`
	PerGroup int `json:"per_group"`
}

// WantOf is what is asked of a hits.Ranker.
func WantOf(o *hits.Options, visible int) *Want {
	return &Want{o.Field, o.Rule, o.Fields, visible, o.Visible}
}

// validate returns an error for a Want that no shard can answer.
func (w *Want) validate() error {
	if w.Visible < 0 || w.PerGroup < 0 {
		return fmt.Errorf("wanted visible and per_group of 0 or more, got %d and %d", w.Visible, w.PerGroup)
	}
	return cmp.Or(w.Rule.Validate(), w.Fields.Validate())
}

// Rank implements hits.Ranker for a shard.
func (c *Client) Rank(ctx context.Context, r *bleve.SearchRequest, w *Want) (a *hits.Answer, err error) {
	wanted, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	path := "/rank?want=" + url.QueryEscape(string(wanted))
	err = c.Post(ctx, path, &serve.Request{SearchRequest: r}, func(answer []byte) (err error) {
		if a, err = DecodeAnswer(answer); err != nil {
			return err
		}
		for _, hit := range a.Ranked {
			if len(hit.Sort) < len(r.Sort) {
				return fmt.Errorf("hit %q: wanted a sort key of %d parts, got %d", hit.ID, len(r.Sort), len(hit.Sort))
			}
			c.Named(&hit.Index, a.Status)
		}
		return Whole(a.Status)
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

// Rank answers POST /rank on an index: see shards.Handler.
func Rank(w http.ResponseWriter, r *http.Request, x bleve.Index, g *serve.Guard) {
	want := new(Want)
	err := strict.Decode([]byte(r.URL.Query().Get("want")), want)
	if err == nil {
		err = want.validate()
	}
	if err != nil {
		http.Error(w, fmt.Sprintf("want: %v", err), http.StatusBadRequest)
		return
	}
	priced := func(request *serve.Request) error {
		request.Collapse = &collapse.Options{Within: want.Fields.Names(), Budget: request.Size}
		return hits.Check(request.SearchRequest)
	}
	guarded(w, r, x, g, priced, func(ctx context.Context, request *bleve.SearchRequest) (any, error) {
		a, err := want.Walk(ctx, x, request)
		if err == nil {
			err = Whole(a.Status)
		}
		if err != nil {
			return nil, err
		}
		return EncodeAnswer(a)
	})
}

// Walk answers for an index in this process, or an alias.
func (w *Want) Walk(ctx context.Context, x bleve.Index, r *bleve.SearchRequest) (*hits.Answer, error) {
	h, err := hits.Open(x, r, hits.Options{Field: w.Field, Rule: w.Rule, Fields: w.Fields, Visible: w.PerGroup})
	if err != nil {
		return nil, err
	}
	defer h.Close()
	size, _ := h.Page()
	if size == 0 {
		err = h.Count(ctx)
	}
	a := new(hits.Answer)
	all := groups{Want: w, heads: make(map[uint32]*table.Table), near: make(map[head]int), keys: make(map[uint32]int)}
	missing := min(w.Visible, size)
	var load search.DocumentMatchCollection
	for size > 0 && !a.More && err == nil {
		var next *stored.Hit
		if next, err = h.Next(ctx, missing, size); next == nil {
			break
		}
		visible := all.add(next)
		if visible && missing == 0 {
			a.More = true
			break
		}
		hit := hits.Hit{Hit: *next, Values: slices.Clone(h.Values()), Bare: !visible && h.Loads()}
		if visible {
			missing--
		}
		if hit.Bare {
			hit.Fields, hit.Fragments = nil, nil
		} else {
			load = append(load, hit.DocumentMatch)
		}
		a.Ranked = append(a.Ranked, hit)
		if size--; size == 0 {
			a.More = !h.Done()
		}
	}
	if err == nil {
		err = h.Load(ctx, load)
	}
	if err != nil {
		return nil, err
	}
	a.SearchResult = h.Result()
	a.Status = h.Index().Worst(a.Status)
	return a, nil
}

// groups says how many hits would be visible if there were no other shard. It need not be exact: the other process puts
// the hits into groups of its own.
type groups struct {
	*Want
	heads map[uint32]*table.Table // by what hits of a group are equal in
	near  map[head]int            // hits of a group
	keys  map[uint32]int          // hits of a key
}

// head is a position in the table of a scope.
type head struct {
	scope uint32
	at    int
}

// add adds the next hit, and reports whether it would be visible.
func (g *groups) add(hit *stored.Hit) bool {
	most := max(1, g.PerGroup)
	if hit.Key != fields.None {
		if g.keys[hit.Key]++; g.keys[hit.Key] > most*max(1, g.Fields.Most) {
			return false
		}
	}
	if hit.Err != nil || g.Fields.Alone() || hit.Scope == fields.Apart {
		return true
	}
	t := g.heads[hit.Scope]
	if t == nil {
		t = table.New(g.Rule)
		g.heads[hit.Scope] = t
	}
	of := head{hit.Scope, t.First(hit.Signature)}
	if of.at < 0 {
		of.at = t.Len()
		t.Add(hit.Signature)
	}
	g.near[of]++
	return g.near[of] <= most
}
