package paging

import (
	"fmt"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/internal/grouping"
	"github.com/neardup/bleve-neardup/collapse/internal/outcome"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Given returns the groups of hits that come in rank order with their stored fields. Of o it uses
// Groups and Keep.
func Given(hits search.DocumentMatchCollection, o Options) (*outcome.Outcome, error) {
	p := &Page{Walk: grouping.New(o.Groups), Full: true, options: o}
	numbers := fields.Numbers{Options: o.Groups.Fields}
	name := signature.SketchField(o.Groups.Field)
	var read stored.Hit // which the walk copies
	for i, hit := range hits {
		if hit == nil {
			return nil, fmt.Errorf("collapse: wanted hits, got nil in place %d", i)
		}
		if o.Keep.Hit != nil && !o.Keep.Hit(hit) {
			p.Walk.Rejected++
			continue
		}
		read = stored.Hit{DocumentMatch: hit}
		if !numbers.Alone() {
			read.Signature, read.Err = stored.OfHit(hit, name)
		}
		names := numbers.Names()
		values := fields.OfHit(hit.Fields, names)
		read.Lacks = values.Lacks(len(names))
		read.Scope, read.Key, _ = numbers.Of(values)
		p.Walk.Take(&read, true)
	}
	if err := p.Walk.Err(); err != nil {
		return nil, err
	}
	return p.groups(&bleve.SearchResult{Total: uint64(len(hits))}, p.Shown(0)), nil
}
