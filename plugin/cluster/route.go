package cluster

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/hits"
	"github.com/neardup/bleve-neardup/plugin/cluster/internal/rpc"
)

// A question goes to one copy of each partition, at first to the primary of the plan. A node is
// asked for all its partitions in one request. If it cannot answer for all of them, each partition
// is asked for by itself: first the same node, then the next node that has a copy. If none answers,
// the partition is missing. Every copy follows the same log, so any copy can answer.

// inner is bleve.Index under a name that hides no method.
type inner = bleve.Index

// group is the partitions that have the same first node. It is a bleve.Index for an alias, in which
// only searches work.
type group struct {
	inner
	node  *Node
	parts []part
}

// groups returns the partitions by the nodes that are to be asked.
func (n *Node) groups() ([]*group, error) {
	parts, err := n.parts()
	if err != nil {
		return nil, err
	}
	var all []*group
	of := map[string][]part{}
	for _, p := range parts {
		if len(p.nodes) == 0 {
			all = append(all, n.group([]part{p}))
			continue
		}
		of[p.nodes[0].UUID] = append(of[p.nodes[0].UUID], p)
	}
	for _, id := range slices.Sorted(maps.Keys(of)) {
		all = append(all, n.group(of[id]))
	}
	return all, nil
}

// group names a group by its partitions, as in the path of a request.
func (n *Node) group(parts []part) *group {
	g := &group{inner: bleve.NewIndexAlias(), node: n, parts: parts}
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	g.SetName(strings.Join(names, ","))
	return g
}

// next returns the groups to ask if the first node did not answer; nil if no node is left.
func (g *group) next() (rest []*group) {
	for _, p := range g.parts {
		if len(g.parts) == 1 {
			if len(p.nodes) < 2 {
				return nil
			}
			p.nodes = p.nodes[1:]
		}
		rest = append(rest, g.node.group([]part{p}))
	}
	return rest
}

// away returns how to ask the node that has the partitions, nil if this node has them. The error is errMissing if no
// node is left.
func (g *group) away() (*rpc.Client, error) {
	nodes, o := g.parts[0].nodes, &g.node.options
	switch {
	case len(nodes) == 0:
		return nil, errMissing
	case nodes[0].UUID == o.ID:
		return nil, nil
	}
	return &rpc.Client{
		Name: g.Name(), URL: nodes[0].HostPort + "/parts/" + url.PathEscape(g.Name()),
		Timeout: o.Timeout, Key: o.Key, HTTP: o.Client,
	}, nil
}

// asked returns what the first node says that can answer: what away makes of a client, here of the copies on this node,
// or of an alias of those that are left to ask.
func asked[T any](ctx context.Context, g *group, away func(*rpc.Client) (T, error),
	here func(bleve.Index) (T, error), status func(T) *bleve.SearchStatus,
) (a T, err error) {
	remote, err := g.away()
	switch {
	case remote != nil:
		a, err = away(remote)
	case err == nil:
		var x bleve.Index
		if x, err = g.node.serving(g.Name()); err == nil {
			a, err = here(x)
		}
	}
	if err == nil && status(a).Failed == 0 {
		return a, nil
	}
	rest := g.next()
	if rest == nil || ctx.Err() != nil || errors.Is(err, collapse.ErrRequest) { // which no copy will have
		return a, err
	}
	return here(g.node.alias(rest))
}

// SearchInContext implements bleve.Index.
func (g *group) SearchInContext(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	return asked(ctx, g,
		func(c *rpc.Client) (*bleve.SearchResult, error) { return c.Search(ctx, r) },
		func(x bleve.Index) (*bleve.SearchResult, error) { return x.SearchInContext(ctx, r) },
		func(res *bleve.SearchResult) *bleve.SearchStatus { return res.Status })
}

// Rank implements hits.Ranker.
func (g *group) Rank(ctx context.Context, r *bleve.SearchRequest, o *hits.Options, visible int) (*hits.Answer, error) {
	want := rpc.WantOf(o, visible)
	return asked(ctx, g,
		func(c *rpc.Client) (*hits.Answer, error) { return c.Rank(ctx, r, want) },
		func(x bleve.Index) (*hits.Answer, error) { return want.Walk(ctx, x, r) },
		func(a *hits.Answer) *bleve.SearchStatus { return a.Status })
}

// Search implements bleve.Index.
func (g *group) Search(r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	return g.SearchInContext(context.Background(), r)
}

func (n *Node) alias(groups []*group) bleve.Index {
	alias := bleve.NewIndexAlias()
	for _, g := range groups {
		alias.Add(g)
	}
	alias.SetIndexMapping(n.options.Mapping) // no error, as it is open
	return alias
}

// serving is an alias of copies that this node has, by their names. They answer alone if
// all are ready.
func (n *Node) serving(names string) (bleve.Index, error) {
	alias := bleve.NewIndexAlias()
	for name := range strings.SplitSeq(names, ",") {
		p, err := n.local(name)
		if err == nil {
			err = n.ready(p)
		}
		if err != nil {
			return nil, err
		}
		alias.Add(p.index)
	}
	return alias, nil
}

// nearest looks up in copies that this node has, as soon as they have reached At.
func (n *Node) nearest(ctx context.Context, names string, r rpc.NearestRequest) (a rpc.NearestAnswer, err error) {
	ctx, cancel := context.WithTimeout(ctx, n.options.Timeout)
	defer cancel()
	for name := range strings.SplitSeq(names, ",") {
		p, err := n.local(name)
		if err == nil {
			err = p.wait(ctx, r.At)
		}
		if err != nil {
			return a, err
		}
		own, err := r.Answer(ctx, p.index)
		if err != nil {
			return a, err
		}
		a.Add(own)
	}
	return a, nil
}

// ask is nearest, wherever the copies are. It calls tell for each answer, or with the error of
// partitions for which no node answers.
func (g *group) ask(ctx context.Context, r rpc.NearestRequest, tell func(names string, a rpc.NearestAnswer, err error)) {
	var a rpc.NearestAnswer
	remote, err := g.away()
	switch {
	case remote != nil:
		a, err = remote.Nearest(ctx, r)
	case err == nil:
		a, err = g.node.nearest(ctx, g.Name(), r)
	}
	rest := g.next()
	if err == nil || rest == nil || ctx.Err() != nil {
		tell(g.Name(), a, err)
		return
	}
	each(rest, func(g *group) { g.ask(ctx, r, tell) })
}

// each calls f for all groups at once, and waits.
func each(groups []*group, f func(*group)) {
	var all sync.WaitGroup
	for _, g := range groups {
		all.Go(func() { f(g) })
	}
	all.Wait()
}
