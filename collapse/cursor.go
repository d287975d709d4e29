package collapse

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/internal/indexes"
)

// Cursor is the place where a page ended, and the next one begins. It is plain data that may come back as JSON in
// another process, which sort keys that are not UTF-8 do not survive: writing them is an error. It tells no more than
// the pages showed.
//
// Pages may be asked for while documents come and go. A loop over pages ends: by a cursor that is nil, after as many
// hits as there were at first and as were written since, or twice as many by score. In an order of fields, a document
// that is not written meanwhile is shown or listed exactly once. By score some are shown twice or never, as with
// bleve's own search_after, since scores move as documents are written: sort by a field if each document counts. A
// document that is added before the place is not shown, and copies of a head that was deleted since are shown.
type Cursor struct {
	// After is the sort key of the last hit taken, as bleve sorts by it, with "_id" as the last part; empty with score
	// fusion, where hits have none.
	After []string `json:"after,omitempty"`

	// Index is the index of that hit, if there are several: two members of an alias can have the same id.
	Index string `json:"index,omitempty"`

	// Taken is the number of hits up to the place.
	Taken int `json:"taken"`

	// Left is the number of hits after it, where they come by score.
	Left uint64 `json:"left,omitempty"`
}

// check returns an error for what no page has taken.
func (c *Cursor) check() error {
	if c != nil && (c.Taken < 0 || c.Taken > indexes.MostHits) {
		return fmt.Errorf("collapse: cursor: taken: wanted 0 to %d, got %d", indexes.MostHits, c.Taken)
	}
	return nil
}

// next is the cursor after the hits that were taken, nil if there is nothing more.
func (p *page) next() *Cursor {
	if p.done() || p.size == 0 {
		return nil
	}
	c := &Cursor{Taken: p.taken()}
	if c.After, c.Index = p.hits.Key(p.last); p.hits.Moves() {
		total := p.hits.Total()
		c.Left = total - min(total, uint64(c.Taken))
	}
	return c
}

// toCursor takes the hits up to the place of the cursor, and makes them hits of the pages before.
func (p *page) toCursor(ctx context.Context) error {
	c := p.Cursor
	place, err := p.hits.At(c.After, c.Index)
	if err != nil {
		return invalid(fmt.Errorf("collapse: cursor: %w", err))
	}
	p.walk.Reserve(c.Taken + p.size)
	p.free = c.Taken
	if c.Taken > 0 || place != nil {
		err = p.seek(ctx, cmp.Or(place, new(search.DocumentMatch)))
	}
	p.free = p.taken()
	p.walk.Forget()
	p.from, p.to = p.walk.Before, p.walk.Before+min(p.size, p.Budget)
	return err
}

// seek takes the hits before the page after c, which are those up to place, if it is known. Where keys stay as they
// are, the page begins after the key. Scores move, even of documents that nobody writes. So where keys have scores,
// the page begins after the very hit of the place, but not far from where counting says: from the top, and from the
// end. If documents were only deleted, the place is between these two. If the hit is gone, the key counts if it
// agrees with that; else the page begins where it repeats hits rather than loses some.
//
// A loop over pages by score ends because of the count from the end: each page but the last takes as many hits as it
// has to show, and begins at most half as many before the first of the two counts. So it leaves fewer hits than the
// page before, unless there are more matches now.
func (p *page) seek(ctx context.Context, place *search.DocumentMatch) error {
	c, moves := p.Cursor, p.hits.Moves()
	room := int64(min(p.size, p.Budget) / 2)
	begin, found := int64(-1), false
	var from, to int64
	for {
		ok, err := p.meet(ctx, c.Taken+p.size-p.met)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		hit := &p.ahead[len(p.ahead)-1]
		n := int64(p.met)
		from, to = p.between()
		switch {
		case found || c.After == nil:
		case moves && hit.ID == place.ID && (place.Index == "" || hit.Index == place.Index):
			begin, found = n, true
		case begin < 0 && p.hits.Compare(hit.DocumentMatch, place) > 0:
			begin, found = n-1, !moves
		}
		if n > to+room || found && n >= from-room {
			break
		}
	}
	switch n := int64(p.met); {
	case begin < 0 && n <= to && !p.hits.Done():
		return p.beyond()
	case found:
		begin = min(max(begin, from-room), to+room)
	case begin < 0 && !moves && c.After != nil:
		begin = n
	case begin < from || begin > to:
		begin = from
	}
	for p.at < len(p.ahead) && int64(p.taken()) < begin {
		p.before()
	}
	return nil
}

// between returns how many hits are before the page after c, at least and at most, if hits were only deleted.
func (p *page) between() (from, to int64) {
	c, taken := p.Cursor, int64(p.Cursor.Taken)
	switch {
	case c.After == nil:
		return taken, taken
	case !p.hits.Moves():
		return 0, math.MaxInt64 / 4
	}
	left := int64(p.hits.Total()) - int64(min(c.Left, math.MaxInt64/4))
	return min(taken, left), max(taken, left)
}
