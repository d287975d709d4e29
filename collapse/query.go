package collapse

import (
	"cmp"
	"context"
	"errors"

	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/internal/whole"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/hits"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// Query is a bleve query that matches what another matches, without the near-copies: of each group only the head, which
// comes first in the head order. All matches are grouped, so what bleve makes of them is right for the collapsed set:
// total, facets, every page, search_after, highlighting, explain. A query that nested documents can match is an error.
//
//	request := bleve.NewSearchRequest(collapse.NewQuery(query, collapse.Options{}))
//
// A Query sees what its inner query matches, and nothing else: hits that the same request finds by vectors (knn) come
// beside it, uncollapsed. Within a filter bleve computes no scores, so all matches tie in the default head order, and
// each group keeps the one with the least id. Each member of an alias answers for itself: a group with members on two
// of them has two heads, where Search with Options.Whole makes one group of it. Under bleve's global scoring by BM25
// it is an error of each member. The score breakdown of a disjunction is left out.
//
// It takes about 50 bytes for every match, 75 if Head names fields, and 100 more for those that have near-duplicates
// among the matches. The grouping takes a tenth to a fifth of a microsecond a match on an index of type neardup if
// Result.Families is true, else two to five. One of type scorch is read document by document, another is an error.
type Query struct {
	inner   query.Query
	options Options
	asked   bool // of a Search, which has asked the index for the fields that the options name
}

// ErrTooMany is wrapped by the error where a Query matches more documents than its budget, or a Search has to
// look at more hits than its budget to come to its page.
var ErrTooMany = hits.ErrTooMany

// NewQuery returns a Query around q. It takes the options that say what a group is: Head, By, Within, Visible, Field,
// Rule, Verify, Missing and Budget. The others are of a Search, and errors here; the search says what is wrong with
// the options.
func NewQuery(q query.Query, o Options) *Query { return &Query{inner: q, options: o} }

// Inner returns the query that q collapses the matches of.
func (q *Query) Inner() query.Query { return q.inner }

// Options returns the options of q.
func (q *Query) Options() Options { return q.options }

// SetBudget sets Options.Budget.
func (q *Query) SetBudget(matches int) { q.options.Budget = matches }

// filled returns the options of a Search that groups as q does, with defaults filled in, or an error that names what
// is wrong.
func (q *Query) filled() (Options, error) {
	o := q.options
	others := o.Complete || len(o.InnerHits) > 0 || o.Explain != nil || o.Cursor != nil
	if others && !q.asked {
		return o, errors.New("collapse: query: complete, inner_hits, explain and a cursor need a Search")
	}
	o.Whole = true
	return o.filled()
}

// Validate implements bleve's query.ValidatableQuery.
func (q *Query) Validate() error {
	if indexes.NoQuery(q.inner) {
		return invalid(errors.New("collapse: query: wanted a query to collapse, got none"))
	}
	if _, err := q.filled(); err != nil {
		return invalid(err)
	}
	if v, ok := q.inner.(query.ValidatableQuery); ok {
		return v.Validate()
	}
	return nil
}

// Searcher implements bleve's query.Query.
func (q *Query) Searcher(ctx context.Context, reader index.IndexReader, m mapping.IndexMapping, so search.SearcherOptions) (search.Searcher, error) {
	if ctx == nil {
		return nil, errors.New("collapse: query: wanted a context, got nil")
	}
	if err := q.Validate(); err != nil {
		return nil, err
	}
	o, _ := q.filled() // which Validate has checked
	if !q.asked {
		err := o.ask(schema{
			signed: func(field string) error {
				return cmp.Or(indexes.SignedIn(reader, m, field), indexes.NoneSignedIn(reader, field))
			},
			has: func(field string) error {
				if docs, err := fields.In(reader, m, field); docs > 0 {
					return err
				}
				return nil
			},
			rule: func(field string, asked signature.Rule) (signature.Rule, error) {
				rule, _, err := neardup.RuleOf(m, field, asked)
				return rule, err
			},
		})
		if err != nil {
			return nil, err
		}
	}
	return whole.NewSearcher(ctx, reader, m, q.inner, so, whole.Options{
		Head: hits.Order(q.options.Head), Most: o.Budget, Groups: o.grouping(),
		Verify: o.Verify,
	}, q)
}

// Field implements bleve's query.FieldableQuery: "_id", by which bleve learns that what
// matches is whole documents. It then joins these with nested documents that other parts of
// the same query match.
func (q *Query) Field() string { return "_id" }

// SetField implements bleve's query.FieldableQuery. It does nothing: the inner query has
// its own fields.
func (q *Query) SetField(string) {}
