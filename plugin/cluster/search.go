package cluster

import (
	"cmp"
	"context"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// Search searches all partitions, and collapses once. With an error that wraps
// shards.ErrPartial there is a result all the same, if a partition answered.
func (n *Node) Search(ctx context.Context, r *bleve.SearchRequest, o collapse.Options) (*collapse.Result, error) {
	o.Field = cmp.Or(o.Field, n.options.Field)
	res, err := collapse.Search(ctx, n.Index(), r, o)
	if err != nil {
		return nil, err
	}
	return res, n.options.Partial.Judge(res.Status)
}

// Similar finds near-duplicates in all partitions, with errors as Search has them.
func (n *Node) Similar(ctx context.Context, r near.SimilarRequest) (*near.SimilarResult, error) {
	res, err := near.Similar(ctx, n.Index(), r)
	if err != nil {
		return nil, err
	}
	return res, n.options.Partial.Judge(res.Status)
}

// Index is the whole index, for searches alone: what collapse.Search, near.Similar and
// serve.Handler take. Its results say which partitions did not answer.
func (n *Node) Index() bleve.Index {
	alias := bleve.NewIndexAlias()
	alias.SetIndexMapping(n.options.Mapping) // no error, as it is open
	x := &whole{alias, n}
	x.SetName(n.options.Name)
	return x
}

type whole struct {
	inner
	node *Node
}

// Inside is what package internal/hits asks: the groups of partitions as they are planned now.
func (w *whole) Inside() bleve.Index {
	groups, err := w.node.groups()
	if err != nil {
		return w // as the search will say
	}
	return w.node.alias(groups)
}

// SearchInContext implements bleve.Index.
func (w *whole) SearchInContext(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	groups, err := w.node.groups()
	if err != nil {
		return nil, err
	}
	return w.node.alias(groups).SearchInContext(ctx, r)
}

// Search implements bleve.Index.
func (w *whole) Search(r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	return w.SearchInContext(context.Background(), r)
}

// VisitIndexes shows what a request can be priced on here: the copies that this node would
// ask, and an empty index with the mapping.
func (w *whole) VisitIndexes(visit func(bleve.Index)) {
	visit(w.node.scratch)
	groups, err := w.node.groups()
	if err != nil {
		return // as the search will say
	}
	for _, g := range groups {
		if remote, err := g.away(); remote != nil || err != nil {
			continue
		}
		if x, err := w.node.serving(g.Name()); err == nil {
			visit(x)
		}
	}
}
