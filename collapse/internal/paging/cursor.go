package paging

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Cursor is the place where another page ended: the key of its last hit, and how many hits there were up to it and
// after it.
type Cursor struct {
	After []string // nil where hits have no key
	Index string
	Taken int
	Left  uint64
}

// Check returns an error for what no page has taken.
func (c *Cursor) Check() error {
	if c.Taken < 0 || c.Taken > indexes.MostHits {
		return fmt.Errorf("collapse: cursor: taken: wanted 0 to %d, got %d", indexes.MostHits, c.Taken)
	}
	return nil
}

// Next is the cursor after the hits that were taken, nil if there is nothing more.
func (p *Page) Next() *Cursor {
	if p.Done() || p.request.Size == 0 || p.options.Diversify > 0 {
		return nil
	}
	last := p.end()
	c := &Cursor{Taken: last.taken}
	if c.After, c.Index = p.Hits.Key(last.DocumentMatch); p.Hits.Moves() {
		c.Left = p.total() - min(p.total(), uint64(last.taken))
	}
	return c
}

// total is the number of matches, as bleve counts them.
func (p *Page) total() uint64 { return p.Hits.Result().Total }

// met is a hit, and how many hits were given and rejected up to it.
type met struct {
	stored.Hit
	taken, rejected int
}

// meet adds the next hit to those ahead, and reports whether there is one.
func (p *Page) meet(ctx context.Context, missing int) (bool, error) {
	hit, err := p.Hits.Next(ctx, missing)
	if err != nil || hit == nil {
		return false, err
	}
	p.ahead = append(p.ahead, met{*hit, p.Hits.Taken(), p.Hits.Rejected()})
	return true, nil
}

// Done reports whether there is nothing more.
func (p *Page) Done() bool { return p.at == len(p.ahead) && p.Hits.Done() }

// end is the last hit before those ahead: where the next page begins.
func (p *Page) end() met {
	if p.at < len(p.ahead) {
		return p.last
	}
	return met{stored.Hit{DocumentMatch: p.Hits.Last()}, p.Hits.Taken(), p.Hits.Rejected()}
}

// toCursor takes the hits up to the place of a cursor, and makes them hits of the pages before.
func (p *Page) toCursor(ctx context.Context, c *Cursor) error {
	place, err := p.Hits.At(c.After, c.Index)
	if err != nil {
		return Wrong(fmt.Errorf("collapse: cursor: %w", err))
	}
	p.Walk.Reserve(c.Taken + p.request.Size)
	p.Hits.Free(c.Taken)
	if c.Taken > 0 || place != nil {
		err = p.seek(ctx, place, c)
	}
	if err != nil {
		return err
	}
	p.Hits.Free(p.Hits.Taken() - (len(p.ahead) - p.at))
	p.Walk.Forget()
	next := p.end()
	if p.at < len(p.ahead) {
		next = p.ahead[p.at]
		next.taken--
	}
	p.rejected = next.rejected - max(0, next.taken-max(c.Taken, p.last.taken)) // those that the page before did not count
	return nil
}

// seek takes the hits before the page after c, which are those up to place, if it is known. A loop over pages ends as
// long as keys stay as they are, since each page begins after the key of the one before. Scores do not stay, even of
// documents that nobody writes: they depend on how many documents there are. So where keys have scores, the page
// begins after the very hit of the place, if that is there, but not far from where counting says: from the top, and
// from the end. If documents were only deleted, the place is between these two. If the hit is gone, the key counts if
// it agrees with that; else the page begins where it repeats hits rather than loses some.
//
// That loop ends, too, because of the count from the end. Each page but the last takes as many hits as it has to show,
// and begins at most half as many before the first of the two counts. So it leaves fewer hits than the page before, by
// half of what it takes or more, unless there are more matches now.
func (p *Page) seek(ctx context.Context, place *search.DocumentMatch, c *Cursor) error {
	place, moves := cmp.Or(place, new(search.DocumentMatch)), p.Hits.Moves()
	room := int64(min(p.request.Size, p.options.Budget) / 2)
	begin, found := int64(-1), false
	var from, to int64
	for {
		ok, err := p.meet(ctx, c.Taken+p.request.Size-p.Hits.Taken())
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		hit := &p.ahead[len(p.ahead)-1]
		n := int64(hit.taken)
		from, to = p.between(c)
		switch {
		case found || c.After == nil:
		case moves && hit.ID == place.ID && (place.Index == "" || hit.Index == place.Index):
			begin, found = n, true
		case begin < 0 && p.Hits.Compare(hit.DocumentMatch, place) > 0:
			begin, found = n-1, !moves
		}
		if n > to+room || found && n >= from-room {
			break
		}
	}
	switch n := int64(p.Hits.Taken()); {
	case begin < 0 && n <= to && !p.Hits.Done():
		return p.beyond()
	case found:
		begin = min(max(begin, from-room), to+room)
	case begin < 0 && !moves && c.After != nil:
		begin = n
	case begin < from || begin > to:
		begin = from
	}
	for p.at < len(p.ahead) && int64(p.ahead[p.at].taken) <= begin {
		p.before()
	}
	return nil
}

// between returns how many hits are before the page after c, at least and at most, if hits were only deleted.
func (p *Page) between(c *Cursor) (from, to int64) {
	taken := int64(c.Taken)
	switch {
	case c.After == nil:
		return taken, taken
	case !p.Hits.Moves():
		return 0, math.MaxInt64 / 4
	}
	left := int64(p.total()) - int64(min(c.Left, math.MaxInt64/4))
	return min(taken, left), max(taken, left)
}

// before takes the next of the hits ahead.
func (p *Page) before() {
	p.last = p.ahead[p.at]
	p.at++
	p.Walk.Take(&p.last.Hit, true)
}
