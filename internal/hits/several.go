package hits

import (
	"context"
	"reflect"
	"sync"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
)

// several gives the hits of an alias of bleve's: each member gives its own, in rank order, and the best of these comes
// next. An alias of bleve's asks all members at once for their first hits, and tells them what they have to know of
// each other. A member that has to search again is asked alone.
type several struct {
	alias   bleve.Index
	members []*member
	begun   bool

	mu sync.Mutex
	of map[*search.DocumentMatch]*Hits // which gave a hit
}

// member is a member of an alias.
type member struct {
	*Hits
	ahead  *search.DocumentMatch // its next hit, nil if that was not asked for, or is none
	failed bool
}

// newSeveral returns the members of x, nil if x is no alias of bleve's, or none that is open. An index of another type
// that stands before others might want to see or drop their hits, so it must be asked itself. With vectors, and with
// score fusion, bleve chooses among the hits of all members, so the alias is asked itself, too.
func newSeveral(x bleve.Index, request *bleve.SearchRequest, o Options) (*several, error) {
	all, ok := membersOf(x)
	if !ok || bleve.IsScoreFusionRequested(request) || HasKNN(request) {
		return nil, nil
	}
	s := &several{alias: x, of: make(map[*search.DocumentMatch]*Hits)}
	for _, x := range all {
		h, err := open(x, request, o)
		if err != nil {
			s.close()
			return nil, err
		}
		s.members = append(s.members, &member{Hits: h})
	}
	return s, nil
}

// inside returns x, or what x says that it stands for now.
func inside(x bleve.Index) bleve.Index {
	if of, ok := x.(interface{ Inside() bleve.Index }); ok {
		return of.Inside()
	}
	return x
}

// membersOf returns the indexes that x is an alias of, and false if it is no alias of bleve's, or none that is open.
func membersOf(x bleve.Index) (all []bleve.Index, ok bool) {
	alias, ok := x.(interface{ VisitIndexes(func(bleve.Index)) })
	if !ok || reflect.TypeOf(x) != aliasType {
		return nil, false
	}
	if _, err := x.Advanced(); err == bleve.ErrorIndexClosed || err == bleve.ErrorAliasEmpty {
		return nil, false
	}
	alias.VisitIndexes(func(x bleve.Index) { all = append(all, x) })
	return all, true
}

var aliasType = reflect.TypeOf(bleve.NewIndexAlias())

// asking is an index that is asked in another way than by bleve's search.
type asking struct {
	anyIndex
	search func(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error)
}

// SearchInContext implements bleve.Index.
func (a asking) SearchInContext(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	if before, _ := ctx.Value(search.PreSearchKey).(bool); before {
		return a.anyIndex.SearchInContext(ctx, r)
	}
	return a.search(ctx, r)
}

// ask has bleve's alias ask all indexes at once, number n by f. Of several, each counts all terms of a facet.
func ask(ctx context.Context, all []bleve.Index, m mapping.IndexMapping, r *bleve.SearchRequest,
	f func(ctx context.Context, n int, r *bleve.SearchRequest) (*bleve.SearchResult, error),
) (*bleve.SearchResult, error) {
	alias := bleve.NewIndexAlias()
	for n, x := range all {
		one := asking{x, func(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) { return f(ctx, n, r) }}
		if len(all) == 1 {
			return one.SearchInContext(ctx, r)
		}
		alias.Add(one)
	}
	if m != nil {
		if err := alias.SetIndexMapping(m); err != nil {
			return nil, err
		}
	}
	counts := *r
	counts.Facets = unlimited(r.Facets)
	res, err := alias.SearchInContext(ctx, &counts)
	if err == nil {
		fix(res.Facets, r.Facets)
	}
	return res, err
}

// ask has an alias of bleve's ask all members by f.
func (s *several) ask(ctx context.Context, r *bleve.SearchRequest,
	f func(ctx context.Context, m *member, r *bleve.SearchRequest) (*bleve.SearchResult, error),
) (*bleve.SearchResult, error) {
	all := make([]bleve.Index, len(s.members))
	for n, m := range s.members {
		all[n] = m.index.anyIndex
	}
	return ask(ctx, all, s.alias.Mapping(), r, func(ctx context.Context, n int, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
		return f(ctx, s.members[n], r)
	})
}

// begin makes the first search, for no hits if most is 0.
func (s *several) begin(ctx context.Context, r *bleve.SearchRequest, missing, most int) (*bleve.SearchResult, error) {
	s.begun = true
	asked := r.Facets
	return s.ask(ctx, r, func(ctx context.Context, m *member, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
		m.request.Facets, m.request.PreSearchData = r.Facets, r.PreSearchData
		if _, far := m.source.(*remote); far { // whose answer would be long
			m.request.Facets = asked
		}
		var err error
		if most == 0 {
			err = m.Count(ctx)
		} else {
			m.ahead, err = m.give(ctx, missing, most)
		}
		if err != nil {
			m.failed = true
			return nil, err
		}
		return m.Result(), nil
	})
}

// next returns the best of the members' next hits, or nil.
func (s *several) next(ctx context.Context, h *Hits, missing, most int) (hit *search.DocumentMatch, err error) {
	var best *member
	for _, m := range s.members {
		if m.ahead == nil && !m.failed {
			if m.ahead, err = m.give(ctx, missing, most); err != nil {
				if ctx.Err() != nil {
					return nil, ctx.Err()
				}
				m.failed = true
				h.index.Saw(&bleve.SearchResult{Status: &bleve.SearchStatus{
					Total: len(s.members), Failed: 1, Successful: len(s.members) - 1, Errors: bleve.IndexErrMap{m.index.Name(): err},
				}})
			}
			h.index.Saw(&bleve.SearchResult{Status: m.index.worst})
		}
		if m.ahead != nil && (best == nil || h.compare(m.ahead, best.ahead) < 0) {
			best = m
		}
	}
	if best != nil {
		hit, best.ahead = best.ahead, nil
		s.of[hit] = best.Hits
	}
	return hit, nil
}

// done reports whether no member has a hit left.
func (s *several) done() bool {
	for _, m := range s.members {
		if m.ahead != nil || !m.failed && !m.Done() {
			return false
		}
	}
	return true
}

// search is bleve's SearchInContext, such that it is known which member has a hit.
func (s *several) search(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	return s.ask(ctx, r, func(ctx context.Context, m *member, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
		res, err := m.search(ctx, r)
		if err == nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			for _, hit := range res.Hits {
				s.of[hit] = m.Hits
			}
		}
		return res, err
	})
}

func (s *several) close() {
	for _, m := range s.members {
		m.Close()
	}
}
