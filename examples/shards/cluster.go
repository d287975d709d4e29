package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"sync"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin/similar"
)

// partial says what is made of an answer that shards are missing from. To ask a shard
// again is for the shard: see newRemote.
type partial string

const (
	failClosed partial = "closed" // it is an error
	failOpen   partial = "open"   // it is used, and says which shards are missing
)

// errPartial is wrapped by the errors of failClosed.
var errPartial = errors.New("shards did not answer")

// cluster is what one coordinator knows: the shards, in an order that never changes,
// and the mapping that all of them have.
type cluster struct {
	shards  []bleve.Index
	mapping mapping.IndexMapping
	alias   bleve.IndexAlias
	partial partial

	admit sync.Mutex
}

func newCluster(m mapping.IndexMapping, p partial, shards ...bleve.Index) (*cluster, error) {
	alias := bleve.NewIndexAlias(shards...)
	return &cluster{shards: shards, mapping: m, alias: alias, partial: p}, alias.SetIndexMapping(m)
}

// owner is the shard of an id: its FNV-1a hash modulo the number of shards. So a
// document that is written again replaces itself, and other numbers of shards take
// writing all documents anew.
func (c *cluster) owner(id string) bleve.Index {
	h := fnv.New64a()
	h.Write([]byte(id))
	return c.shards[h.Sum64()%uint64(len(c.shards))]
}

// search asks all shards and collapses once, here. If it collapsed for itself, each
// shard would choose heads that the others know nothing of.
func (c *cluster) search(ctx context.Context, r *bleve.SearchRequest, o collapse.Options) (*collapse.Result, error) {
	res, err := collapse.Search(ctx, c.alias, r, o)
	if err != nil {
		return nil, err
	}
	return res, c.judge(res.Status)
}

// similar finds near-duplicates on all shards.
func (c *cluster) similar(ctx context.Context, r similar.Request) (*similar.Result, error) {
	res, err := similar.Search(ctx, c.alias, r)
	if err != nil {
		return nil, err
	}
	return res, c.judge(res.Status)
}

// judge applies the policy. That no shard answered is an error under either.
func (c *cluster) judge(s *bleve.SearchStatus) error {
	if s.Failed == 0 || c.partial == failOpen && s.Successful > 0 {
		return nil
	}
	return fmt.Errorf("%w: %d of %d: %q", errPartial, s.Failed, s.Total, missing(s))
}

// missing has the names of the shards that failed.
func missing(s *bleve.SearchStatus) []string { return slices.Sorted(maps.Keys(s.Errors)) }

// verdict is what became of a document.
type verdict struct {
	ID      string
	Written bool

	// Of is the best near-duplicate, on whatever shard it lies.
	Of *similar.Hit

	// Unchecked names the shards that did not say whether they have one. It is never
	// empty where a shard is missing, so "no duplicate" is said of asked shards alone.
	Unchecked []string
}

// submit writes a document to its shard unless a near-duplicate of its text is on any
// of them. One document is admitted at a time, so of two near-duplicates that come at
// once one is written; two coordinators need a lock that they share.
func (c *cluster) submit(ctx context.Context, id string, doc map[string]any) (verdict, error) {
	c.admit.Lock()
	defer c.admit.Unlock()
	v := verdict{ID: id}
	text, _ := doc["text"].(string)
	sig, err := neardup.Sign(c.mapping, signature.DefaultField, text)
	if err != nil {
		return v, err
	}
	if sig.Tokens > 0 {
		// The id is what is not to be found: a document is no copy of what it replaces. A
		// MaxShare of 1 leaves no key out.
		like := similar.Query{Signature: sig, ID: id, MaxShare: 1}
		res, err := similar.Search(ctx, c.alias, similar.Request{Query: like, Size: 1})
		if err != nil {
			return v, err
		}
		v.Unchecked = missing(res.Status)
		if len(res.Hits) > 0 { // true whoever did not answer
			v.Of = &res.Hits[0]
			return v, nil
		}
		if err := c.judge(res.Status); err != nil {
			return v, err
		}
	}
	if err := c.owner(id).Index(id, doc); err != nil {
		return v, err
	}
	v.Written = true
	return v, nil
}
