package paging

import (
	"context"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse/internal/grouping"
	"github.com/neardup/bleve-neardup/collapse/internal/outcome"
)

// outcome returns what is found when the page is full. The error is of a page that begins beyond
// the budget, or bleve's.
func (p *Page) outcome(ctx context.Context) (*outcome.Outcome, error) {
	if p.options.Diversify > 0 {
		p.diversify()
	}
	hits := p.Shown(p.From)
	hits = hits[:min(p.request.Size, len(hits))]
	if err := p.check(len(hits)); err != nil {
		return nil, err
	}
	p.Walk.Rejected = p.end().rejected - p.rejected
	complete := false
	if p.options.Complete {
		var err error
		if complete, err = p.complete(ctx); err != nil {
			return nil, err
		}
	}
	o := p.groups(p.Hits.Result(), hits)
	if o.Complete = complete; complete && len(o.Earlier) > 0 {
		listed, err := p.listed(ctx)
		if err != nil {
			return nil, err
		}
		if listed {
			o.Earlier = nil // each is listed on the page of its head
		}
	}
	if p.options.Diversify > 0 { // no group but those of the page, each with all members that were met
		o.Groups, o.Earlier = o.Groups[:len(hits)], nil
	}
	here, err := p.sorted(o)
	if err == nil {
		err = p.Hits.Load(ctx, o.Hits)
	}
	if err != nil {
		return nil, err
	}
	if p.strip(o); !here {
		err = o.Show(ctx, p.Hits.Index(), p.request, p.options.Head)
	}
	return o, err
}

// sorted makes each group show the hit that is first in the order of heads. It returns false if a
// search has to tell which.
func (p *Page) sorted(o *outcome.Outcome) (bool, error) {
	if len(p.options.Head) == 0 {
		return true, nil
	}
	hits, ok, err := p.Hits.Sorted(o.Several(), p.options.Head)
	if ok && err == nil {
		o.ShowFirst(hits)
	}
	return ok, err
}

// groups adds to a result the hits to show, the groups whose head is on the page or after it, and
// the earlier ones with the members that the page met.
func (p *Page) groups(found *bleve.SearchResult, shown search.DocumentMatchCollection) *outcome.Outcome {
	w := p.Walk
	found.Hits = shown
	o := &outcome.Outcome{SearchResult: found, Total: len(w.Groups), Hidden: w.Hidden, Walk: w}
	for i, g := range w.Groups {
		if g.At >= p.From {
			o.Groups = w.Groups[i:]
			break
		}
		first := slices.IndexFunc(g.Members, p.met)
		if first < 0 {
			continue
		}
		g.Members = g.Members[first:]
		o.Earlier = append(o.Earlier, g)
	}
	return o
}

// met reports whether the page met a member: it met what it took after its first hit. What is hidden before that was met by the
// page before; only after a cursor is it new.
func (p *Page) met(m *grouping.Member) bool {
	return p.From == p.Walk.Before || m.At > p.From || m.At == p.From && m.Visible
}

func setOf(hits search.DocumentMatchCollection) map[*search.DocumentMatch]bool {
	set := make(map[*search.DocumentMatch]bool, len(hits))
	for _, hit := range hits {
		set[hit] = true
	}
	return set
}

// strip makes hits look the same whatever way they came, and takes everything that was loaded
// out of members that are not on the page.
func (p *Page) strip(o *outcome.Outcome) {
	for _, hit := range o.Hits {
		p.Hits.Strip(hit)
	}
	var shown map[*search.DocumentMatch]bool // made when it is needed
	o.EachMember(func(m *grouping.Member) {
		p.Hits.StripKey(m.DocumentMatch)
		if m.Fields == nil && m.Fragments == nil {
			return
		}
		if shown == nil {
			shown = setOf(o.Hits)
		}
		if !shown[m.DocumentMatch] {
			m.Fields, m.Fragments = nil, nil
		}
	})
}
