package collapse

import (
	"context"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse/internal/grouping"
	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// page is a page of hits, from one place among the visible hits to another.
type page struct {
	options Options
	request *bleve.SearchRequest
	hits    *ranking.Hits
	walk    *grouping.Walk

	from     int  // its place, counting the visible hits of all pages
	want     int  // visible hits up to its end
	full     bool // or no hit is left, or the budget is spent
	afterAll bool // the caller's key is after every hit
}

// openPage returns a page that nothing was taken for. It must be closed.
func openPage(index bleve.Index, request *bleve.SearchRequest, o Options) (*page, error) {
	rules := o.grouping()
	hits, err := ranking.Open(index, request, ranking.Options{Field: o.Field, Rule: rules.Rule, Visible: o.Visible, Budget: o.Budget})
	if err != nil {
		return nil, invalid{err}
	}
	if c := o.Cursor; c != nil {
		if err = hits.Resume(c.After, c.Taken); err == nil {
			err = c.check()
		}
		if err != nil {
			hits.Close()
			return nil, invalid{fmt.Errorf("collapse: cursor: %w", err)}
		}
	}
	return &page{options: o, request: request, hits: hits, walk: grouping.New(rules)}, nil
}

func (p *page) close() {
	p.walk.Release()
	p.hits.Close()
}

// begin finds where the page begins: at From, after a cursor, or at a key.
func (p *page) begin(ctx context.Context) error {
	r, o := p.request, p.options
	byKey := r.SearchAfter != nil || r.SearchBefore != nil
	p.from, p.want = r.From, min(r.From+r.Size, o.Budget)
	switch {
	case o.Cursor != nil:
		p.walk.Reserve(len(o.Cursor.Heads) + r.Size)
		if err := p.recall(ctx, o.Cursor); err != nil {
			return err
		}
		p.from, p.want = p.walk.Before, p.walk.Before+min(r.Size, o.Budget)
	case byKey:
		p.walk.Reserve(o.Budget)
	default:
		p.walk.Reserve(p.want)
	}
	if r.Size == 0 {
		p.full = true
		return p.hits.Count(ctx)
	}
	if byKey && o.Cursor == nil {
		return p.toKey(ctx)
	}
	return nil
}

// take takes the next hit and returns it. The page is full without one, or if it would be the
// first of the next page.
func (p *page) take(ctx context.Context) (stored.Hit, error) {
	hit, err := p.hits.Next(ctx, p.want-p.walk.Shown())
	if err != nil || hit.DocumentMatch == nil {
		p.full = true
		return stored.Hit{}, err
	}
	if !p.walk.Take(hit, p.walk.Shown() < p.want) {
		p.hits.Return()
		p.full = true
		return stored.Hit{}, nil
	}
	return hit, nil
}

// toKey takes the hits that rank before the page of the caller's key, or with SearchBefore the
// page, too. A key does not say which heads these are.
func (p *page) toKey(ctx context.Context) error {
	first, err := p.hits.AtKey(ctx)
	if err != nil {
		return err
	}
	before := p.request.SearchBefore != nil
	if p.full = before; first != nil || !before {
		if err := p.walkTo(ctx, first, before); err != nil {
			return err
		}
	}
	visible := p.walk.Shown()
	p.from, p.want = visible, visible+p.request.Size
	if before {
		p.from, p.want = max(0, visible-p.request.Size), visible
	}
	return nil
}

// walkTo takes all hits before stop, and stop too if it is to be included, or all there are if it
// is nil or does not come.
func (p *page) walkTo(ctx context.Context, stop *search.DocumentMatch, included bool) error {
	p.afterAll = stop == nil
	for {
		hit, err := p.hits.Next(ctx, p.request.Size)
		if err != nil {
			return err
		}
		if hit.DocumentMatch == nil {
			if p.hits.Done() || stop == nil {
				return nil
			}
			return fmt.Errorf("collapse: wanted search_after or search_before among the first %d hits, the budget, got one beyond: %w", p.options.Budget, ErrTooMany)
		}
		here := stop != nil && refOf(hit.DocumentMatch) == refOf(stop)
		if here && !included {
			p.hits.Return()
			return nil
		}
		if p.walk.Take(hit, true); here {
			return nil
		}
	}
}

// checkPlace returns an error for a page that begins after what the budget shows: without
// hits, it would be taken for a page after the last.
func (p *page) checkPlace(shown int) error {
	switch r := p.request; {
	case shown > 0 || p.from == 0 || p.hits.Done() || r.Size == 0 || p.options.Cursor != nil || p.afterAll:
		return nil
	case r.From == 0:
		return fmt.Errorf("collapse: wanted search_after with a hit to show after it among the first %d, the budget, got none: %w", p.hits.Taken(), ErrTooMany)
	default:
		return fmt.Errorf("collapse: from: wanted less than the %d hits that a budget of %d shows, got %d: %w",
			len(p.shown(0)), p.options.Budget, r.From, ErrTooMany)
	}
}

// shown returns the hits to show from the given place on.
func (p *page) shown(from int) search.DocumentMatchCollection {
	hits := p.walk.Hits
	if p.options.Demote {
		hits = slices.Concat(hits, p.walk.Hidden)
	}
	return append(search.DocumentMatchCollection{}, hits[min(from-p.walk.Before, len(hits)):]...)
}

// result makes the result of a full page.
func (p *page) result(ctx context.Context) (*Result, error) {
	if err := p.walk.Err(); err != nil {
		return nil, invalid{err}
	}
	hits := p.shown(p.from)
	hits = hits[:min(p.request.Size, len(hits))]
	if err := p.checkPlace(len(hits)); err != nil {
		return nil, err
	}
	r := p.groups(hits)
	r.SearchResult = p.hits.Result()
	r.Hits = hits
	r.TotalGroups = len(p.walk.Groups)
	r.TotalGroupsRelation = bleve.TotalRelationEq
	if !p.hits.Done() || p.hits.Worst() != nil || p.options.Whole { // whose budget was spent
		r.TotalGroupsRelation = bleve.TotalRelationGte
	}
	if !p.hits.Done() && p.request.Size > 0 && !p.options.Demote {
		r.Next = p.next()
	}
	if err := p.hits.Load(ctx, hits); err != nil {
		return nil, err
	}
	p.strip(r)
	if err := complete(ctx, p.hits.Index(), p.request, p.options, r); err != nil {
		return nil, err
	}
	if worst := p.hits.Worst(); worst != nil {
		r.Status, r.TotalGroupsRelation = worst, bleve.TotalRelationGte
	}
	r.addForeign(p.walk.Foreign)
	return r, nil
}

// groups returns the groups whose head is on the page or after it, and the earlier ones with
// the members that the page met; shown are its hits.
func (p *page) groups(shown search.DocumentMatchCollection) *Result {
	w := p.walk
	r := &Result{Groups: make([]Group, 0, len(w.Groups)), Hidden: len(w.Hidden)}
	r.count(w)
	met := p.met(shown)
	for i := range w.Groups {
		g := &w.Groups[i]
		if g.At >= p.from {
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

// met returns a function that reports whether the page met a member: it met what it took after
// its first hit. What is hidden before that was met by the page before; only after a cursor is
// it new. With Demote a page meets again what it shows.
func (p *page) met(shown search.DocumentMatchCollection) func(grouping.Member) bool {
	var again map[*search.DocumentMatch]bool
	if p.options.Demote {
		again = make(map[*search.DocumentMatch]bool, len(shown))
		for _, hit := range shown {
			again[hit] = true
		}
	}
	return func(m grouping.Member) bool {
		return p.from == p.walk.Before || m.At > p.from || m.At == p.from && m.Visible || again[m.DocumentMatch]
	}
}

// head returns the head of a group. A cursor names the first ones.
func (p *page) head(group int) Ref {
	if c := p.options.Cursor; c != nil && group < len(c.Heads) {
		return c.Heads[group]
	}
	return refOf(p.walk.Groups[group].Head.DocumentMatch)
}

// strip makes hits look the same whatever way they came, and takes everything that was loaded
// out of members that are not on the page.
func (p *page) strip(r *Result) {
	for _, hit := range r.Hits {
		p.hits.Strip(hit)
	}
	var shown map[*search.DocumentMatch]bool // made when it is needed
	r.eachMember(func(m *Member) {
		p.hits.StripKey(m.Hit)
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

// recall makes the heads of the pages before known. A head that is no longer among the
// matches, or has no signature, hides nothing.
func (p *page) recall(ctx context.Context, c *Cursor) error {
	ids := make([]string, len(c.Heads))
	for i, ref := range c.Heads {
		ids[i] = ref.ID
	}
	hits, err := p.hits.Named(ctx, ids)
	if err != nil {
		return fmt.Errorf("collapse: heads of the pages before: %w", err)
	}
	found := make(map[Ref]int, 2*len(hits))
	for i, hit := range hits {
		found[refOf(hit.DocumentMatch)] = i + 1
		found[Ref{ID: hit.ID}] = i + 1
	}
	known := map[grouping.Text]bool{}
	for i, ref := range c.Heads {
		shown := 1
		if c.Shown != nil {
			shown = c.Shown[i]
		}
		var hit stored.Hit
		if at := found[ref]; at > 0 {
			hit = hits[at-1]
		}
		p.walk.Recall(hit, shown, known)
	}
	return nil
}

// next is the cursor after the hits that were taken.
func (p *page) next() *Cursor {
	c := &Cursor{Taken: p.hits.Taken(), After: p.hits.Key()}
	several, repeated := false, false
	for i := range p.walk.Groups {
		ref, shown := p.head(i), p.walk.Groups[i].Shown
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
