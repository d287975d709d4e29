package collapse

import (
	"context"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse/internal/grouping"
	"github.com/neardup/bleve-neardup/collapse/internal/paging"
	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
)

// page is a page of hits, and who asked for it.
type page struct {
	*paging.Page
	options Options
	request *bleve.SearchRequest
}

// openPage returns a page that nothing was taken for. It must be closed.
func openPage(index bleve.Index, request *bleve.SearchRequest, o Options) (page, error) {
	asked := paging.Options{Field: o.Field, Budget: o.Budget, Groups: o.grouping(), Keep: o.keep(), Demote: o.Demote}
	if c := o.Cursor; c != nil {
		if err := c.check(); err != nil {
			return page{}, invalid(fmt.Errorf("collapse: cursor: %w", err))
		}
		asked.Cursor = &paging.Cursor{After: c.After, Taken: c.Taken, Shown: c.Shown, Heads: make([]ranking.Place, len(c.Heads))}
		for i, ref := range c.Heads {
			asked.Cursor.Heads[i] = ranking.Place(ref)
		}
	}
	p, err := paging.Open(index, request, asked)
	if err != nil {
		return page{}, invalid(err)
	}
	return page{p, o, request}, nil
}

// result makes the result of a full page.
func (p page) result(ctx context.Context) (*Result, error) {
	if err := p.Walk.Err(); err != nil {
		return nil, invalid(err)
	}
	hits := p.Shown(p.From)
	hits = hits[:min(p.request.Size, len(hits))]
	if err := p.Check(len(hits)); err != nil {
		return nil, err
	}
	r := p.groups(hits)
	r.SearchResult = p.Hits.Result()
	r.Hits, r.Rejected = hits, p.Hits.Rejected()
	r.TotalGroups = len(p.Walk.Groups)
	r.TotalGroupsRelation = bleve.TotalRelationEq
	if !p.Hits.Done() || p.Hits.Worst() != nil || p.options.Whole { // whose budget was spent
		r.TotalGroupsRelation = bleve.TotalRelationGte
	}
	r.Next = p.next()
	if err := p.Hits.Load(ctx, hits); err != nil {
		return nil, err
	}
	p.strip(r)
	if len(p.options.Head) > 0 {
		of := make(known)
		for i := range p.Walk.Groups {
			if g := &p.Walk.Groups[i]; g.At >= p.From {
				of.add(g)
			}
		}
		if err := r.show(ctx, p.Hits.Index(), p.request, p.options, of); err != nil {
			return nil, err
		}
	}
	if err := complete(ctx, p.Hits.Index(), p.request, p.options, r); err != nil {
		return nil, err
	}
	if worst := p.Hits.Worst(); worst != nil {
		r.Status, r.TotalGroupsRelation = worst, bleve.TotalRelationGte
	}
	r.addForeign(p.Walk.Foreign)
	return r, nil
}

// groups returns the groups whose head is on the page or after it, and the earlier ones with
// the members that the page met; shown are its hits.
func (p page) groups(shown search.DocumentMatchCollection) *Result {
	w := p.Walk
	r := &Result{Groups: make([]Group, 0, len(w.Groups)), Hidden: len(w.Hidden)}
	r.count(w)
	met := p.Met(shown)
	for i := range w.Groups {
		g := &w.Groups[i]
		if g.At >= p.From {
			r.Groups = append(r.Groups, groupOf(p.head(i), g, g.Members))
		} else if first := slices.IndexFunc(g.Members, met); first >= 0 {
			members := g.Members[first:]
			if p.options.Demote {
				members = slices.DeleteFunc(slices.Clone(members), func(m grouping.Member) bool { return !met(m) })
			}
			r.Earlier = append(r.Earlier, groupOf(p.head(i), g, members))
		}
	}
	return r
}

// head returns the head of a group. A cursor names the first ones.
func (p page) head(group int) Ref {
	if c := p.options.Cursor; c != nil && group < len(c.Heads) {
		return c.Heads[group]
	}
	return refOf(p.Walk.Groups[group].Head.DocumentMatch)
}

// strip makes hits look the same whatever way they came, and takes everything that was loaded
// out of members that are not on the page.
func (p page) strip(r *Result) {
	for _, hit := range r.Hits {
		p.Hits.Strip(hit)
	}
	var shown map[*search.DocumentMatch]bool // made when it is needed
	r.eachMember(func(m *Member) {
		p.Hits.StripKey(m.Hit)
		if m.Hit.Fields == nil && m.Hit.Fragments == nil {
			return
		}
		if shown == nil {
			shown = make(map[*search.DocumentMatch]bool, len(r.Hits))
			for _, hit := range r.Hits {
				shown[hit] = true
			}
		}
		if !shown[m.Hit] {
			m.Hit.Fields, m.Hit.Fragments = nil, nil
		}
	})
}

// next is the cursor after the hits that were taken, nil if there is nothing more.
func (p page) next() *Cursor {
	if p.Hits.Done() || p.request.Size == 0 || p.options.Demote {
		return nil
	}
	c := &Cursor{Taken: p.Hits.Taken(), After: p.Hits.Key()}
	several, repeated := false, false
	for i := range p.Walk.Groups {
		ref, shown := p.head(i), p.Walk.Groups[i].Shown
		c.Heads, c.Shown = append(c.Heads, ref), append(c.Shown, shown)
		several = several || ref.Index != c.Heads[0].Index
		repeated = repeated || shown > 1
	}
	if !repeated {
		c.Shown = nil
	}
	for i := range c.Heads {
		if !several {
			c.Heads[i].Index = ""
		}
	}
	return c
}
