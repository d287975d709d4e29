package collapse

import (
	"context"
	"slices"

	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// result is called when run is done.
func (s *scan) result(ctx context.Context, from int) (*Result, error) {
	if s.walk.err != nil {
		return nil, invalid{s.walk.err}
	}
	r := s.walk.result(from)
	r.SearchResult = s.base
	r.Request = s.caller
	r.Took = s.took
	r.Hits = s.walk.page(from)
	r.Hits = r.Hits[:min(s.caller.Size, len(r.Hits))]
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
