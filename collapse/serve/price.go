package serve

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/hits"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// Price returns an error for a request beyond the limits, which is an Exceeded or another that wraps
// collapse.ErrRequest; or the error of the context. It looks nothing up in the index but its terms, and those only
// until there are too many. A remote member of an alias has to price what it gets by itself, as package
// plugin/cluster/shards does. Where r leaves a budget open, Price sets it to the default of package collapse or the
// limit, whichever is less.
func (l Limits) Price(ctx context.Context, index bleve.Index, r *Request) error {
	if err := indexes.Check(ctx, index); err != nil {
		return hits.Wrong(err)
	}
	if r == nil {
		return refused("wanted a request with a query, got none")
	}
	p := pricer{limits: l.filled(), request: r}
	if err := p.page(); err != nil {
		return err
	}
	if err := p.options(r.Collapse); err != nil {
		return err
	}
	if err := p.walk(p.queries()...); err != nil {
		return err
	}
	return p.indexes(ctx, index)
}

// pricer prices one request.
type pricer struct {
	limits  Limits
	request *Request
	orders  []search.SortOrder // of the request and of what it has within
}

// page prices what the request asks for beside its query.
func (p *pricer) page() error {
	r, l := p.request, p.limits
	if r.SearchRequest == nil || indexes.NoQuery(r.Query) {
		return refused("wanted a request with a query, got none")
	}
	if r.Size < 0 || r.From < 0 {
		return refused("wanted size and from of 0 or more, got %d and %d", r.Size, r.From)
	}
	ranges := 0
	for name, f := range r.Facets {
		if f == nil {
			return refused("facets: %q: wanted a facet, got null", name)
		}
		ranges += len(f.NumericRanges) + len(f.DateTimeRanges)
	}
	window := 0
	if r.Params != nil {
		window = r.Params.ScoreWindowSize
	}
	return cmp.Or(
		within("hits", l.Hits, float64(r.From)+float64(r.Size)),
		within("values", l.Values, max(len(r.Facets)*perFacet, ranges*perRange)),
		within("budget", l.Budget, window),
		p.shown(r.Fields, r.Highlight), p.sort(r.Sort),
	)
}

// shown prices the fields of hits.
func (p *pricer) shown(fields []string, h *bleve.HighlightRequest) error {
	highlights := 0
	if h != nil {
		highlights = len(h.Fields)
	}
	return within("fields", p.limits.Fields, max(len(fields), begun(highlights, perHighlight)))
}

// sort prices a sort order, or the fields whose values group hits.
func (p *pricer) sort(order search.SortOrder) error {
	p.orders = append(p.orders, order)
	return within("fields", p.limits.Fields, begun(len(order), perSort))
}

// grouped prices the fields whose values group hits.
func (p *pricer) grouped(within []string, by *collapse.By) error {
	var order search.SortOrder
	if by != nil {
		order = append(order, &search.SortField{Field: by.Field})
	}
	for _, field := range within {
		order = append(order, &search.SortField{Field: field})
	}
	return p.sort(order)
}

// options prices how the request is collapsed, and sets the budget.
func (p *pricer) options(o *collapse.Options) error {
	if o == nil {
		return nil
	}
	hits, loads, taken, size := 0., 0., 0, float64(p.request.Size)
	err := cmp.Or(p.grouped(o.Within, o.By), p.sort(o.Head))
	for _, i := range o.InnerHits {
		fields := len(i.Fields)
		if i.Highlight != nil {
			fields += max(1, len(i.Highlight.Fields))
		}
		hits, loads = max(hits, float64(i.From)+float64(i.Size)), loads+size*float64(i.Size)*float64(max(1, fields))
		err = cmp.Or(err, p.shown(i.Fields, i.Highlight), p.sort(i.Sort))
	}
	if e := o.Explain; e != nil {
		hits, loads = max(hits, float64(max(e.Members, e.Shingles))), loads+size*(1+float64(e.Most()))
	}
	if o.Cursor != nil {
		taken = o.Cursor.Taken
	}
	return cmp.Or(err, within("hits", p.limits.Hits, hits), within("loads", p.limits.Loads, loads),
		within("budget", p.limits.Budget, taken), p.budget(o))
}

const (
	defaultBudget = 10_000    // as in collapse.Options
	defaultMost   = 1_000_000 // the same for the whole form, and for a Query
)

// budget prices how many hits are looked at, and how many texts Verify might read of them; and sets the number if it is
// left open.
func (p *pricer) budget(o *collapse.Options) error {
	l := p.limits
	if o.Budget == 0 {
		o.Budget = defaultBudget
		if o.Whole {
			o.Budget = defaultMost
		}
		if l.Budget >= 0 {
			o.Budget = min(o.Budget, l.Budget)
		}
		if o.Verify.On() && l.Loads >= 0 {
			o.Budget = max(1, min(o.Budget, l.Loads))
		}
	}
	err := within("budget", l.Budget, o.Budget)
	if o.Verify.On() {
		err = cmp.Or(err, within("loads", l.Loads, o.Budget))
	}
	return err
}

// queries are all that are asked.
func (p *pricer) queries() []query.Query {
	return append([]query.Query{p.request.Query}, hits.KNNFilters(p.request.SearchRequest)...)
}

// walk prices what queries cost on any index.
func (p *pricer) walk(queries ...query.Query) error {
	for _, q := range queries {
		if err := boost(q); err != nil {
			return err
		}
		if err := p.within(q); err != nil {
			return err
		}
	}
	return nil
}

// within prices what stands in a query.
func (p *pricer) within(q query.Query) error {
	switch q := q.(type) {
	case *query.BooleanQuery:
		return p.walk(q.Must, q.Should, q.MustNot, q.Filter)
	case *query.ConjunctionQuery:
		return p.walk(q.Conjuncts...)
	case *query.DisjunctionQuery:
		return p.walk(q.Disjuncts...)
	case *query.CustomFilterQuery:
		return p.walk(q.Query)
	case *query.CustomScoreQuery:
		return p.walk(q.Query)
	case *query.QueryStringQuery:
		parsed, err := q.Parse()
		if err != nil {
			return refused("%w", err)
		}
		return p.walk(parsed)
	case *collapse.Query:
		return p.collapsed(q)
	}
	return nil
}

// collapsed prices a query that collapses, and gives it a budget.
func (p *pricer) collapsed(q *collapse.Query) error {
	o := q.Options()
	o.Whole = true
	if err := cmp.Or(p.sort(o.Head), p.grouped(o.Within, o.By), p.budget(&o)); err != nil {
		return err
	}
	q.SetBudget(o.Budget)
	return p.walk(q.Inner())
}

// mostBoost is the greatest boost; its inverse is the least but 0.
const mostBoost = 1e6

// boost returns an error for a boost that leads to scores which are no numbers: bleve
// takes its square, and the inverse of the root of the sum of these.
func boost(q query.Query) error {
	b, ok := q.(query.BoostableQuery)
	if !ok {
		return nil
	}
	if size := math.Abs(b.Boost()); size > mostBoost || size > 0 && size < 1/mostBoost {
		return refused("boost: wanted 0, or a size from %g to %g, got %g", 1/mostBoost, mostBoost, b.Boost())
	}
	return nil
}

func refused(format string, args ...any) error { return hits.Wrong(fmt.Errorf(format, args...)) }
