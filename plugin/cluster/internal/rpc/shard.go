package rpc

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// Rule is the rule by which documents are compared in a field, which m must fingerprint: see neardup.RuleOf.
func Rule(m mapping.IndexMapping, field string, asked signature.Rule) (rule signature.Rule, err error) {
	if _, err = neardup.Of(m, field); err == nil {
		err = asked.Validate()
	}
	if err == nil {
		rule, _, err = neardup.RuleOf(m, field, asked)
	}
	return rule, err
}

// WriteBatch writes a batch to an index of this process, with the names of groups that its documents have, by their ids.
func WriteBatch(x bleve.Index, b *bleve.Batch, groups map[string]string) error {
	if len(groups) == 0 {
		return x.Batch(b)
	}
	c := gate.Call{Context: context.Background(), Groups: groups}
	verdicts, err := c.Send(b.SetInternal, func() error { return x.Batch(b) })
	return cmp.Or(err, gate.Rejected(verdicts))
}

// Place is the place of an id among n shards: its FNV-1a hash of 64 bits modulo n. So a
// document that is written again replaces itself, and another number of shards takes
// writing all documents anew.
//
// It is 0 if n is less than 1.
func Place(id string, n int) int { return int(Sum([]byte(id)) % uint64(max(n, 1))) }

// Sum is the FNV-1a hash of 64 bits.
func Sum(data []byte) uint64 {
	h := fnv.New64a()
	h.Write(data)
	return h.Sum64()
}

// Missing has the names of the shards that failed, sorted; none if s is nil.
func Missing(s *bleve.SearchStatus) []string {
	if s == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(s.Errors))
}

// Whole returns an error for an answer of this status that is not of all that was asked, such as that
// of a part that failed. An empty object, from any server at an address, has no status.
func Whole(s *bleve.SearchStatus) error {
	if s != nil && s.Successful > 0 && s.Failed == 0 {
		return nil
	}
	if s != nil {
		for _, err := range s.Errors {
			return err
		}
	}
	return fmt.Errorf("wanted the result of a whole shard, got status %v", s)
}

// Nearer returns the first of two hits, each perhaps nil, in the order of near.Similar: by what they have in common
// with what was asked for, and then by id.
func Nearer(a, b *near.SimilarHit) *near.SimilarHit {
	share := func(h *near.SimilarHit) int {
		if h.By&signature.ByExact != 0 {
			return 1 << 30
		}
		return h.Agree
	}
	switch {
	case a == nil:
		return b
	case b == nil, share(a) > share(b), share(a) == share(b) && (a.ID < b.ID || a.ID == b.ID && a.Index < b.Index):
		return a
	}
	return b
}
