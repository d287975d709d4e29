package paging

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
	"github.com/neardup/bleve-neardup/internal/ids"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Cursor is the end of another page. A cursor that would be too large names no heads: then the
// hits up to it are walked again.
type Cursor struct {
	After []string
	Index string
	Taken int
	Heads []ranking.Place
	Shown []int // hits of each head's group; 1 if nil
}

// Check returns an error for what no page has shown.
func (c *Cursor) Check() error {
	if c.Shown != nil && len(c.Shown) != len(c.Heads) {
		return fmt.Errorf("collapse: cursor: shown: wanted a number for each of %d heads, got %d", len(c.Heads), len(c.Shown))
	}
	room := indexes.MostHits
	for _, n := range c.Shown {
		if n < 1 || n > room {
			return fmt.Errorf("collapse: cursor: shown: wanted numbers of 1 or more, at most %d together, got %d", indexes.MostHits, n)
		}
		room -= n
	}
	return nil
}

// mostCursor is the most bytes of JSON that the heads of a cursor take.
const mostCursor = 1900

// size is how many bytes of JSON the heads and Index take, or more than mostCursor.
func (c *Cursor) size() (n int) {
	n = ids.ID(c.Index).Size()
	for i, head := range c.Heads {
		n += len(`{"id":},`) + ids.ID(head.ID).Size()
		if head.Index != "" {
			n += len(`"index":,`) + ids.ID(head.Index).Size()
		}
		if c.Shown != nil {
			n += 1 + len(strconv.Itoa(c.Shown[i]))
		}
		if n > mostCursor {
			break
		}
	}
	return n
}

// bare reports whether c does not name the heads of the pages before.
func (c *Cursor) bare() bool { return len(c.Heads) == 0 && c.Taken > 0 }

// toCursor makes the heads of the pages before known.
func (p *Page) toCursor(ctx context.Context, c *Cursor) error {
	for i := range c.Heads {
		c.Heads[i].Index = cmp.Or(c.Heads[i].Index, c.Index)
	}
	if !c.bare() {
		p.Walk.Reserve(len(c.Heads) + p.request.Size)
		return p.recall(ctx, c)
	}
	p.Walk.Reserve(c.Taken + p.request.Size)
	if err := p.Hits.Again(c.Taken, func() error { return p.repeat(ctx, c) }); err != nil {
		return err
	}
	p.Walk.Forget()
	return nil
}

// repeat takes the hits up to a cursor again.
func (p *Page) repeat(ctx context.Context, c *Cursor) error {
	if c.After != nil {
		first, err := p.Hits.AfterPlace(ctx, c.After, c.Index)
		if err != nil {
			return err
		}
		return p.walkTo(ctx, first, false)
	}
	for p.Hits.Taken() < c.Taken {
		hit, err := p.Hits.Next(ctx, c.Taken-p.Hits.Taken())
		if err != nil || hit == nil {
			return err
		}
		p.Walk.Take(hit, true)
	}
	return nil
}

// Next is the cursor after the hits that were taken, nil if there is nothing more.
func (p *Page) Next() *Cursor {
	if p.Hits.Done() || p.request.Size == 0 || p.options.Demote || p.options.Diversify > 0 {
		return nil
	}
	c := &Cursor{Taken: p.Hits.Taken(), After: p.Hits.Key(), Index: p.Hits.Member()}
	if p.nameHeads(c); c.size() > mostCursor {
		c.Heads, c.Shown = nil, nil
	}
	return c
}

// nameHeads adds the heads of all pages so far to a cursor.
func (p *Page) nameHeads(c *Cursor) {
	n := len(p.Walk.Groups)
	c.Heads, c.Shown = make([]ranking.Place, 0, n), make([]int, 0, n)
	several, repeated := false, false
	for i := range p.Walk.Groups {
		place, shown := p.head(i), p.Walk.Groups[i].Shown
		c.Heads, c.Shown = append(c.Heads, place), append(c.Shown, shown)
		several = several || place.Index != c.Heads[0].Index
		repeated = repeated || shown > 1
	}
	if !repeated {
		c.Shown = nil
	}
	for i := range c.Heads {
		if c.Heads[i].Index == c.Index || c.Index == "" && !several {
			c.Heads[i].Index = ""
		}
	}
}

// recall makes the heads of the pages before known. A head that is no longer among the
// matches, or has no signature, hides nothing.
func (p *Page) recall(ctx context.Context, c *Cursor) error {
	ids := make([]string, len(c.Heads))
	for i, ref := range c.Heads {
		ids[i] = ref.ID
	}
	hits, err := p.Hits.Named(ctx, ids)
	if err != nil {
		return fmt.Errorf("collapse: heads of the pages before: %w", err)
	}
	found := make(map[ranking.Place]int, 2*len(hits))
	for i, hit := range hits {
		found[ranking.PlaceOf(hit.DocumentMatch)] = i + 1
		found[ranking.Place{ID: hit.ID}] = i + 1
	}
	for i, ref := range c.Heads {
		shown := 1
		if c.Shown != nil {
			shown = c.Shown[i]
		}
		var hit stored.Hit
		if at := found[ref]; at > 0 {
			hit = hits[at-1]
		}
		p.Walk.Recall(&hit, shown)
	}
	return nil
}
