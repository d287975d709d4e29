package collapse

import (
	"context"
	"fmt"

	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse/internal/groups"
	"github.com/neardup/bleve-neardup/internal/hits"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// page is a page of hits, from one place among the visible hits to another. It takes hits in rank order, from the top,
// until it is full.
type page struct {
	*Options // which are filled
	hits     *hits.Hits
	walk     *groups.Walk
	size     int // visible hits that were asked for
	from, to int // where the page begins and ends, counting the visible hits of all pages
	full     bool

	ahead []stored.Hit // hits that were met, of which those before at were taken
	at    int
	met   int                   // hits
	free  int                   // of them, the first that do not count in the budget
	last  *search.DocumentMatch // that was taken; nil before the first
}

// fill takes hits until the page is full, no hit is left, or the budget is spent. The error is of
// a rule or a page that cannot be, or bleve's.
func (p *page) fill(ctx context.Context) error {
	err := p.begin(ctx)
	for err == nil && !p.full {
		err = p.take(ctx)
	}
	if err == nil && p.walk.Err() != nil {
		err = invalid(p.walk.Err())
	}
	return err
}

// begin finds where the page begins: at from, after a cursor, or at a key.
func (p *page) begin(ctx context.Context) error {
	after, before := p.hits.Keys()
	switch {
	case p.size == 0:
		p.full = true
		return p.hits.Count(ctx)
	case p.Cursor != nil:
		return p.toCursor(ctx)
	case after != nil || before != nil:
		return p.toKey(ctx, after, before)
	}
	p.walk.Reserve(p.to)
	return nil
}

// take takes the next hit. The page is full without one, or if it would be the first of the next page.
func (p *page) take(ctx context.Context) error {
	if p.at == len(p.ahead) {
		p.ahead, p.at = p.ahead[:0], 0
		if ok, err := p.meet(ctx, p.to-p.walk.Shown()); !ok {
			p.full = true
			return err
		}
	}
	hit := &p.ahead[p.at]
	if p.full = !p.walk.Take(hit, p.walk.Shown() < p.to); !p.full {
		p.last = hit.DocumentMatch
		p.at++
	}
	return nil
}

// meet adds the next hit to those ahead, and reports whether there is one within the budget.
func (p *page) meet(ctx context.Context, missing int) (bool, error) {
	left := p.Budget + p.free - p.met
	if left <= 0 {
		return false, nil
	}
	hit, err := p.hits.Next(ctx, missing, left)
	if err != nil || hit == nil {
		return false, err
	}
	p.met++
	p.ahead = append(p.ahead, *hit)
	return true, nil
}

// before takes the next of the hits ahead, which is one before the page.
func (p *page) before() {
	hit := &p.ahead[p.at]
	p.last = hit.DocumentMatch
	p.at++
	p.walk.Take(hit, true)
}

// taken is how many hits were taken.
func (p *page) taken() int { return p.met - (len(p.ahead) - p.at) }

// done reports whether there is nothing more.
func (p *page) done() bool { return p.at == len(p.ahead) && p.hits.Done() }

// toKey takes the hits that rank before the page of the caller's key, or with SearchBefore the
// page, too. A key does not say which heads these are.
func (p *page) toKey(ctx context.Context, after, before *search.DocumentMatch) error {
	p.walk.Reserve(p.Budget)
	if before != nil {
		p.free = 1 // the first that is not taken
	}
	for {
		ok, err := p.meet(ctx, p.size)
		if err != nil {
			return err
		}
		if !ok && !p.hits.Done() {
			return p.beyond()
		}
		if !ok {
			break
		}
		hit := &p.ahead[p.at]
		if after != nil && p.hits.Compare(hit.DocumentMatch, after) > 0 ||
			before != nil && p.hits.Compare(hit.DocumentMatch, before) >= 0 {
			break
		}
		p.before()
	}
	visible := p.walk.Shown()
	p.from, p.to = visible, visible+p.size
	if p.full = before != nil; p.full {
		p.from, p.to = max(0, visible-p.size), visible
	}
	return nil
}

// beyond is the error of a place beyond the budget.
func (p *page) beyond() error {
	const text = "collapse: wanted search_after, search_before or a cursor among the first %d hits, the budget, got one beyond: %w"
	return fmt.Errorf(text, p.Budget, ErrTooMany)
}

// check returns an error for a page that begins after what the budget shows: without
// hits, it would be taken for a page after the last.
func (p *page) check(shown int) error {
	if shown > 0 || p.from == 0 || p.done() || p.size == 0 || p.Cursor != nil {
		return nil
	}
	_, from := p.hits.Page()
	if from == 0 {
		return fmt.Errorf("collapse: wanted search_after with a hit to show after it among the first %d, the budget, got none: %w", p.met, ErrTooMany)
	}
	return fmt.Errorf("collapse: from: wanted less than the %d hits that a budget of %d shows, got %d: %w",
		len(p.walk.Hits), p.Budget, from, ErrTooMany)
}

// shown returns the hits to show.
func (p *page) shown() search.DocumentMatchCollection {
	hits := p.walk.Hits[min(p.from-p.walk.Before, len(p.walk.Hits)):]
	return append(search.DocumentMatchCollection{}, hits[:min(p.size, len(hits))]...)
}

// result returns what is found when the page is full, as far as the walk tells it. The error is of a page that begins
// beyond the budget, or bleve's.
func (p *page) result(ctx context.Context) (*Result, error) {
	shown := p.shown()
	if err := p.check(len(shown)); err != nil {
		return nil, err
	}
	complete := false
	if p.Complete {
		var err error
		if complete, err = p.complete(ctx); err != nil {
			return nil, err
		}
	}
	of, earlier := p.groups()
	if complete && len(earlier) > 0 {
		var heads []*stored.Hit
		for i := range earlier {
			heads = append(heads, &earlier[i].Head)
		}
		_, listed, err := p.hits.Relatives(ctx, heads, nil, p.Budget)
		if err != nil {
			return nil, err
		}
		if listed {
			earlier = nil // each is listed on the page of its head
		}
	}
	if len(p.Head) > 0 {
		changed, err := p.walk.Promote(ctx, p.hits, of, p.Head)
		if err != nil {
			return nil, err
		}
		for i, hit := range shown {
			if g := changed[hits.PlaceOf(hit)]; g != nil {
				shown[i] = g.Head.DocumentMatch
			}
		}
	}
	if err := p.hits.Load(ctx, shown); err != nil {
		return nil, err
	}
	found := p.hits.Result()
	found.Hits = shown
	p.strip(shown, of, earlier)
	r := resultOf(found, p.walk, of, earlier)
	r.Complete = complete
	return r, nil
}

// groups returns the groups whose head is on the page or after it, and the earlier ones with the members that the page
// met.
func (p *page) groups() (of, earlier []groups.Group) {
	for i, g := range p.walk.Groups {
		if g.At >= p.from {
			return p.walk.Groups[i:], earlier
		}
		for n, m := range g.Members {
			// The page met what it took after its first hit. What is hidden before that was met by the page
			// before; only after a cursor is it new.
			if p.from == p.walk.Before || m.At > p.from || m.At == p.from && m.Visible {
				g.Members = g.Members[n:]
				earlier = append(earlier, g)
				break
			}
		}
	}
	return nil, earlier
}

// strip makes hits look the same whatever way they came, and takes everything that was loaded
// out of members that are not on the page.
func (p *page) strip(shown search.DocumentMatchCollection, lists ...[]groups.Group) {
	on := make(map[*search.DocumentMatch]bool, len(shown))
	for _, hit := range shown {
		p.hits.Strip(hit)
		on[hit] = true
	}
	for _, list := range lists {
		for i := range list {
			for _, m := range list[i].Members {
				if p.hits.StripKey(m.DocumentMatch); !on[m.DocumentMatch] {
					m.Fields, m.Fragments = nil, nil
				}
			}
		}
	}
}

// complete adds to the groups of the page the members that rank after it, and reports whether
// they are all. Only a near-duplicate of a head on the page, or a hit with its key, can be such a member. It belongs to
// the first head in rank order that it matches, and all heads that rank before the end of the page
// are known: so the walk takes it as if it came next.
func (p *page) complete(ctx context.Context) (bool, error) {
	if p.done() || p.size == 0 {
		return !p.hits.Index().Failed(), nil
	}
	taken := make(map[hits.Place]bool)
	var heads []*stored.Hit
	for i := range p.walk.Groups {
		g := &p.walk.Groups[i]
		for _, hit := range g.Matches() {
			taken[hits.PlaceOf(hit)] = true
		}
		if g.At >= p.from {
			heads = append(heads, &g.Head)
		}
	}
	ids, all, err := p.hits.Relatives(ctx, heads, taken, p.Budget)
	if err != nil || !all {
		return false, err
	}
	rest, err := p.hits.Rest(ctx, ids, taken, len(p.Head) > 0)
	for i := range rest {
		p.walk.Join(&rest[i], p.from)
	}
	return !p.hits.Index().Failed(), err
}
