package collapse

import (
	"context"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// result is called when run is done.
func (s *scan) result(ctx context.Context, from int) (*Result, error) {
	if s.walk.err != nil {
		return nil, invalid{s.walk.err}
	}
	hits := s.walk.page(from)
	hits = hits[:min(s.caller.Size, len(hits))]
	if err := s.checkPlace(from, len(hits)); err != nil {
		return nil, err
	}
	r := s.walk.result(from, hits)
	r.SearchResult = s.base
	r.Request = s.caller
	r.Took = s.took
	r.Hits = hits
	r.TotalGroups = len(s.walk.heads)
	r.TotalGroupsRelation = Exact
	if !s.done || failed(s.base) > 0 {
		r.TotalGroupsRelation = AtLeast
	}
	if !s.done && s.caller.Size > 0 && s.walk.options.Mode != Demote {
		r.Next = s.next()
	}
	if err := s.show(ctx, r.Hits); err != nil {
		return nil, err
	}
	s.strip(r)
	return r, nil
}

// checkPlace returns an error for a page that begins behind what the budget shows: without
// hits, it would be taken for one behind the last.
func (s *scan) checkPlace(from, shown int) error {
	switch o := s.walk.options; {
	case shown > 0 || from == 0 || s.done || s.caller.Size == 0 || o.Cursor != nil || s.behindAll:
		return nil
	case s.caller.From == 0:
		return fmt.Errorf("collapse: wanted search_after with a hit to show behind it among the first %d, the budget, got none: %w", s.taken, ErrTooMany)
	default:
		return fmt.Errorf("collapse: from: wanted less than the %d hits that a budget of %d shows, got %d: %w",
			len(s.walk.page(0)), o.Budget, from, ErrTooMany)
	}
}

// ownKeys gives each hit a sort key of its own: all that are sorted by score have the same
// one of bleve's, and who changed it would change those of all searches to come.
func (r *Result) ownKeys(request *bleve.SearchRequest) {
	byScore := func(order search.SortOrder) bool {
		if len(order) == 0 {
			return true
		}
		_, ok := order[0].(*search.SortScore)
		return ok && len(order) == 1
	}
	own := func(hit *search.DocumentMatch) {
		if len(hit.Sort) == 1 {
			hit.Sort = []string{"_score"}
		}
	}
	for _, groups := range [...][]Group{r.Groups, r.Earlier} {
		for _, g := range groups {
			for _, in := range g.InnerHits { // which bleve sorted by score
				for _, hit := range in.Hits {
					own(hit)
				}
			}
		}
	}
	if !byScore(request.Sort) {
		return
	}
	for _, hit := range r.Hits {
		own(hit)
	}
	for _, groups := range [...][]Group{r.Groups, r.Earlier} {
		for _, g := range groups {
			for i := range g.Members {
				own(g.Members[i].Hit)
			}
		}
	}
}

// next is the cursor behind the hits that were taken.
func (s *scan) next() *Cursor {
	c := &Cursor{Taken: s.taken}
	if err := s.advance(); err == nil {
		c.After = s.after
	}
	if n := len(s.walk.heads); n > 0 {
		c.Heads = make([]Ref, 0, n)
	}
	several := slices.ContainsFunc(s.walk.heads, func(h head) bool { return h.ref.Index != s.walk.heads[0].ref.Index })
	repeated := slices.ContainsFunc(s.walk.heads, func(h head) bool { return h.shown > 1 })
	for _, h := range s.walk.heads {
		if !several {
			h.ref.Index = ""
		}
		c.Heads = append(c.Heads, h.ref)
		if repeated {
			c.Shown = append(c.Shown, h.shown)
		}
	}
	return c
}

// strip takes stored signatures that the caller did not name out of the hits on the
// page, everything that was loaded out of those that are not, and the tie-break out
// of the sort keys, so that a hit looks the same whatever way it came.
func (s *scan) strip(r *Result) {
	for _, hit := range r.Hits {
		s.stripKey(hit)
		stripFields(hit, s.caller.Fields)
	}
	var shown map[*search.DocumentMatch]bool // made when it is needed
	for _, groups := range [...][]Group{r.Groups, r.Earlier} {
		for _, g := range groups {
			for _, m := range g.Members {
				s.stripKey(m.Hit)
				if m.Hit.Fields == nil && m.Hit.Fragments == nil {
					continue
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
			}
		}
	}
}

// stripFields takes stored signatures out of hit unless they are named.
func stripFields(hit *search.DocumentMatch, named []string) {
	for field := range hit.Fields {
		if signature.Reserved(field) && !slices.Contains(named, field) {
			delete(hit.Fields, field)
		}
	}
	if len(hit.Fields) == 0 {
		hit.Fields = nil
	}
}

func (s *scan) stripKey(hit *search.DocumentMatch) {
	if !s.fusion {
		stripKey(hit, len(s.order))
	}
}

// stripKey leaves so many parts of the sort key of hit.
func stripKey(hit *search.DocumentMatch, parts int) {
	hit.Sort = hit.Sort[:min(parts, len(hit.Sort))]
	hit.DecodedSort = hit.DecodedSort[:min(parts, len(hit.DecodedSort))]
}
