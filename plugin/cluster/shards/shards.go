// Package shards spreads an index over several indexes: local ones, or ones in other processes,
// which are asked by JSON over HTTP.
//
//	set, err := shards.New(m, shards.Options{},
//		local, shards.NewRemote("b", "http://b:9001", shards.RemoteOptions{Key: key}))
//	outcomes, err := set.Submit(ctx, shards.Document{ID: "page", Data: page})
//	result, err := set.Search(ctx, request, collapse.Options{})
//
// and in the process that has the other shard
//
//	server := &http.Server{
//		Addr: "b:9001", Handler: shards.Authenticated(key, shards.Handler(index)),
//		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, WriteTimeout: time.Minute,
//	}
//	query.CustomFilterQueryParser = shards.Parser(query.CustomFilterQueryParser)
//	err := server.ListenAndServe()
//
// bleve has one place for the parser of custom filters, in which this library's queries
// travel: the process that serves a shard puts [Parser] there.
//
// A search goes to all shards, and what they find is collapsed once, by the Set: a
// shard that collapsed for itself would choose heads that the others know nothing of. It
// gives the Set its hits with their signatures. A document is compared with all shards, and
// written to the shard of its id.
//
// # What is promised
//
// A shard that does not answer never reads as "no duplicate". Everything that is found
// says which shards are missing from it, and Options.Partial decides what is made of
// that: by default it is an error, and nothing is written.
//
// What shards leave out of signatures (package plugin/templates), a Set asks them, and leaves it out of
// documents and texts that it signs. All of them must leave out the same: while they do not, Submit, and
// Similar with a text, are errors.
//
// Of near-duplicates that come at once through one Set, one is written; with Options.Group all, under one name of their
// group. While a shard does not answer, nothing is named and nothing written. Several Sets over the same shards know
// nothing of each other, each shard is there once, and there are as many as at the start: plugin/cluster, a module of
// its own, has claims that coordinators share, replicas, failover, and partitions that move.
package shards

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/plugin/cluster/internal/rpc"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// Partial says what is made of an answer that shards are missing from.
type Partial string

// What can be made of it. To ask a shard again first is for RemoteOptions.Tries.
const (
	FailClosed Partial = "closed" // it is an error, and what was to be written is not
	FailOpen   Partial = "open"   // it is used, and says which shards are missing
)

// ErrPartial is wrapped by the errors of FailClosed, and where no shard answers.
var ErrPartial = errors.New("shards did not answer")

// Options says how a Set decides.
type Options struct {
	// Partial is FailClosed if empty.
	Partial Partial

	// Field is the fingerprinted field, signature.DefaultField if empty, and Rule says
	// which documents Submit takes for near-duplicates. Members of Rule at 0 or "" come from
	// the field's rule in the mapping of the Set, and else have their defaults.
	Field string
	Rule  signature.Rule

	// Group makes Submit write near-duplicates, too, and give every document the name of its group, as
	// admission.Policy.Group has it on one index, over all shards and without a scope. It needs Partial FailClosed: a
	// group whose members are all on a shard that does not answer would get another name.
	Group bool
}

// Set is what one coordinator knows: the shards, in an order that never changes, and
// the mapping that all of them have. Its methods are safe for concurrent use.
type Set struct {
	shards  []bleve.Index
	alias   bleve.IndexAlias
	options Options

	admit     sync.Mutex
	templates *template.Sets // what shards left out of signatures when last asked; for who has admit
}

// New returns a Set of shards, each with a name of its own. m is the mapping of
// all: it must fingerprint the field of o.
func New(m mapping.IndexMapping, o Options, all ...bleve.Index) (*Set, error) {
	o.Partial, o.Field = cmp.Or(o.Partial, FailClosed), cmp.Or(o.Field, signature.DefaultField)
	names := map[string]bool{}
	for _, x := range all {
		if err := indexes.Present(x); err != nil {
			return nil, fmt.Errorf("shards: %w", err)
		}
		names[x.Name()] = true
	}
	rule, err := rpc.Rule(m, o.Field, o.Rule)
	switch {
	case err != nil:
		return nil, fmt.Errorf("shards: %w", err)
	case o.Partial != FailClosed && o.Partial != FailOpen:
		return nil, fmt.Errorf("shards: partial: wanted %q or %q, got %q", FailClosed, FailOpen, o.Partial)
	case o.Group && o.Partial != FailClosed:
		return nil, fmt.Errorf("shards: group: wanted partial to be %q, got %q: what is on a shard that is down cannot be named", FailClosed, o.Partial)
	case len(all) == 0 || len(names) < len(all):
		return nil, fmt.Errorf("shards: wanted one or more, each with a name of its own, got the names %q of %d", slices.Sorted(maps.Keys(names)), len(all))
	}
	o.Rule = rule
	alias := bleve.NewIndexAlias()
	alias.Add(all...)
	return &Set{shards: slices.Clone(all), alias: alias, options: o}, alias.SetIndexMapping(m)
}

// Owner is the shard of an id: the FNV-1a hash of the id, of 64 bits, modulo the number of
// shards. So a document that is written again replaces itself, and another number of shards
// takes writing all documents anew.
func (s *Set) Owner(id string) bleve.Index { return s.shards[rpc.Place(id, len(s.shards))] }

// Search asks all shards and collapses once. With an error that wraps ErrPartial there
// is a result all the same, if a shard answered.
func (s *Set) Search(ctx context.Context, r *bleve.SearchRequest, o collapse.Options) (*collapse.Result, error) {
	res, err := collapse.Search(ctx, s.alias, r, o)
	if err != nil {
		return nil, err
	}
	return res, s.options.Partial.Judge(res.Status)
}

// Similar finds near-duplicates on all shards, with errors as Search has them.
func (s *Set) Similar(ctx context.Context, r near.SimilarRequest) (*near.SimilarResult, error) {
	res, err := near.Similar(ctx, s.alias, r)
	if err != nil {
		return nil, err
	}
	return res, s.options.Partial.Judge(res.Status)
}

// Passages finds documents that share a passage on all shards, with errors as Search has them.
func (s *Set) Passages(ctx context.Context, r near.PassagesRequest) (*near.PassagesResult, error) {
	res, err := near.Passages(ctx, s.alias, r)
	if err != nil {
		return nil, err
	}
	return res, s.options.Partial.Judge(res.Status)
}

// Judge returns an error that wraps ErrPartial if an answer of this status is not to be
// used. That no shard answered is an error under any policy.
func (p Partial) Judge(status *bleve.SearchStatus) error {
	if status == nil {
		return fmt.Errorf("shards: %w: wanted a status, got nil", ErrPartial)
	}
	if status.Failed == 0 || p == FailOpen && status.Successful > 0 {
		return nil
	}
	return fmt.Errorf("shards: %w: %d of %d: %q", ErrPartial, status.Failed, status.Total, rpc.Missing(status))
}

// Missing has the names of the shards that failed, sorted; none if s is nil.
func Missing(s *bleve.SearchStatus) []string { return rpc.Missing(s) }
