package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// Price returns an error for a request beyond the limits, which is an Exceeded or another
// that wraps collapse.ErrRequest; or the error of the context, once it is done, or of an index
// that cannot be read. It looks nothing up in the index but its terms, and those only until
// there are too many. Of an alias it asks each member of this process; a remote one has to
// price what it gets by itself, as package plugin/shards does.
//
// Where r leaves a budget open, Price sets it to the default of package collapse or
// the limit, whichever is less.
func (l Limits) Price(ctx context.Context, index bleve.Index, r *Request) error {
	if err := indexes.Check(ctx, index); err != nil {
		return refusal{err}
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
	for _, q := range p.queries() {
		if err := p.walk(q); err != nil {
			return err
		}
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
	err := errors.Join(
		within("hits", l.Hits, add(r.From, r.Size)),
		within("fields", l.Fields, len(r.Fields)),
		within("facets", l.Facets, len(r.Facets)),
		p.highlight(r.Highlight),
	)
	for name, f := range r.Facets {
		if f == nil {
			return refused("facets: %q: wanted a facet, got null", name)
		}
		err = errors.Join(err,
			within("facet_size", l.FacetSize, max(f.Size, len(f.NumericRanges), len(f.DateTimeRanges))),
			within("term_bytes", l.TermBytes, max(len(f.TermPattern), len(f.TermPrefix))),
		)
	}
	if r.Params != nil {
		err = errors.Join(err, within("budget", l.Budget, r.Params.ScoreWindowSize))
	}
	return errors.Join(err, p.sort(r.Sort))
}

func (p *pricer) highlight(h *bleve.HighlightRequest) error {
	if h == nil {
		return nil
	}
	return within("highlights", p.limits.Highlights, len(h.Fields))
}

func (p *pricer) sort(order search.SortOrder) error {
	p.orders = append(p.orders, order)
	return within("sort_fields", p.limits.SortFields, len(order))
}

// options prices how the request is collapsed, and sets the budget.
func (p *pricer) options(o *collapse.Options) error {
	if o == nil {
		return nil
	}
	l := p.limits
	err := errors.Join(p.fields(o.Within, o.By), p.sort(o.Head))
	if o.Diversify > 0 {
		const pool = 50 // groups that Diversify puts in order
		err = errors.Join(err, within("hits", l.Hits, pool))
	}
	loads := 0
	for _, i := range o.InnerHits {
		fields := len(i.Fields)
		if i.Highlight != nil {
			fields += max(1, len(i.Highlight.Fields))
		}
		loads = add(loads, times(times(p.request.Size, i.Size), max(1, fields)))
		err = errors.Join(err,
			within("hits", l.Hits, add(i.From, i.Size)),
			within("fields", l.Fields, len(i.Fields)),
			p.highlight(i.Highlight), p.sort(i.Sort),
		)
	}
	if e := o.Explain; e != nil {
		loads = add(loads, times(p.request.Size, 1+cmp.Or(e.Members, 3)))
		err = errors.Join(err, within("hits", l.Hits, max(e.Members, e.Shingles)), within("fields", l.Fields, len(e.Fields)))
	}
	if c := o.Cursor; c != nil {
		err = errors.Join(err, within("taken", l.Taken, c.Taken))
	}
	return errors.Join(err, within("loads", l.Loads, loads), p.budgets(o))
}

// budgets prices how much collapsing looks at, and sets what is left open.
func (p *pricer) budgets(o *collapse.Options) error {
	l := p.limits
	err := within("budget", l.Budget, o.Budget)
	if o.Budget == 0 {
		o.Budget = p.budget(o.Whole)
		if o.Verify.On() && l.Texts >= 0 {
			o.Budget = max(1, min(o.Budget, l.Texts))
		}
	}
	if o.Verify.On() {
		err = errors.Join(err, within("texts", l.Texts, o.Budget))
	}
	return err
}

// queries are all that are asked.
func (p *pricer) queries() []query.Query {
	all := append([]query.Query{p.request.Query}, filters(p.request.SearchRequest)...)
	if o := p.request.Collapse; o != nil && !indexes.NoQuery(o.Filter.Query) {
		all = append(all, o.Filter.Query)
	}
	return all
}

// fields prices the fields whose values group hits, as the fields of a sort order.
func (p *pricer) fields(within []string, by *collapse.By) error {
	var order search.SortOrder
	if by != nil {
		order = append(order, &search.SortField{Field: by.Field})
	}
	for _, field := range within {
		order = append(order, &search.SortField{Field: field})
	}
	return p.sort(order)
}

const (
	defaultBudget = 10_000    // as in collapse.Options
	defaultMost   = 1_000_000 // the same for the whole form, and for a Query
)

// budget is the budget of a request that names none.
func (p *pricer) budget(whole bool) int {
	n := defaultBudget
	if whole {
		n = defaultMost
	}
	if p.limits.Budget >= 0 {
		n = min(n, p.limits.Budget)
	}
	return n
}

// walk prices what a query costs on any index.
func (p *pricer) walk(q query.Query) error {
	if err := p.boostOf(q); err != nil {
		return err
	}
	switch q := q.(type) {
	case *query.BooleanQuery:
		return p.all(q.Must, q.Should, q.MustNot, q.Filter)
	case *query.ConjunctionQuery:
		return p.all(q.Conjuncts...)
	case *query.DisjunctionQuery:
		return p.all(q.Disjuncts...)
	case *query.CustomFilterQuery:
		return p.all(q.Query)
	case *query.CustomScoreQuery:
		return p.all(q.Query)
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

// boostOf looks at the boost of a query, if it has one.
func (p *pricer) boostOf(q query.Query) error {
	if b, ok := q.(query.BoostableQuery); ok {
		return p.boost(b.Boost())
	}
	return nil
}

// collapsed prices a query that collapses, and gives it a budget.
func (p *pricer) collapsed(q *collapse.Query) error {
	o := q.Options()
	o.Whole = true
	if err := errors.Join(p.sort(o.Head), p.fields(o.Within, o.By), p.budgets(&o)); err != nil {
		return err
	}
	q.SetBudget(o.Budget)
	return p.all(q.Inner())
}

func (p *pricer) all(queries ...query.Query) error {
	for _, q := range queries {
		if err := p.walk(q); err != nil {
			return err
		}
	}
	return nil
}

// boost returns an error for a boost that leads to scores which are no numbers: bleve
// takes its square, and the inverse of the root of the sum of these.
func (p *pricer) boost(b float64) error {
	most := p.limits.Boost
	if size := math.Abs(b); size == 0 || most < 0 || size <= most && size >= 1/most {
		return nil
	}
	return refused("limit boost: wanted 0, or a size from %g to %g, got %g", 1/most, most, b)
}

// refusal is an error that wraps collapse.ErrRequest without repeating it.
type refusal struct{ error }

func (r refusal) Unwrap() []error { return []error{collapse.ErrRequest, r.error} }

func refused(format string, args ...any) error { return refusal{fmt.Errorf(format, args...)} }
