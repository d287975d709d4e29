package collapse

import (
	"context"
	"errors"
	"fmt"

	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// Query is a bleve query that matches what another matches, without the
// near-copies: of each group only the head, which comes first in the head order.
// All matches are grouped, so what bleve makes of them is right for the
// collapsed set: total, facets, every page, search_after, highlighting, explain. Where
// nested documents match, what is grouped are the whole documents.
//
//	request := bleve.NewSearchRequest(collapse.NewQuery(query, collapse.QueryOptions{}))
//
// A Query sees what its inner query matches, and nothing else. Hits that the same request
// finds by vectors (bleve's build tag vectors, knn) come beside it, uncollapsed: Search
// collapses those too, page by page. Within a filter (of a boolean query, or of knn), for
// which bleve computes no scores, all matches tie in the default head order: each group
// keeps the one with the least id, unless Head is an order by fields. The query is
// answered by each member of an alias for itself: a group with members on two of them has
// two heads, which Search merges, and words have the synonyms of each member alone. Under
// bleve's global scoring by BM25 it is an error of each member, as bleve does not gather
// what it needs for queries that are not its own.
//
// It takes memory for every match, about 50 bytes, and 100 more for those that have
// near-duplicates among the matches. On an index of type neardup it keeps the
// signatures that it reads; the grouping takes a tenth to a fifth of a microsecond a
// match once the families of the index are known (package internal/column), and two
// until then. On other indexes it reads signatures document by document.
type Query struct {
	inner   query.Query
	options QueryOptions
}

// QueryOptions says how a Query collapses. The zero QueryOptions keeps the best
// match of each group, by the default rule.
type QueryOptions struct {
	// Field is the fingerprinted field, signature.DefaultField if empty.
	Field string `json:"field,omitempty"`

	// Rule says which matches are near-duplicates; the default rule if zero.
	Rule signature.Rule `json:"rule,omitzero"`

	// Head is the order in which matches become heads, best score first if empty:
	// {&search.SortField{Field: "date", Desc: true}} keeps the newest of a group.
	// "_id" decides where it leaves a tie.
	Head search.SortOrder `json:"head,omitempty"`

	// Visible is how many matches of each group are kept: 1 if 0.
	Visible int `json:"visible,omitempty"`

	// Missing says what becomes of matches without a signature, KeepMissing if
	// empty.
	Missing Missing `json:"missing,omitempty"`

	// AllowUnsigned is as in Options, of the index that is searched.
	AllowUnsigned bool `json:"allow_unsigned,omitempty"`

	// Most is the most matches that are grouped, 1,000,000 if 0. A query that
	// matches more ends in an error that wraps ErrTooMany.
	Most int `json:"most,omitempty"`
}

const defaultMost = 1_000_000

// ErrTooMany: a Query matches more documents than its options let it group, or a Search
// has to look at more hits than its budget to come to a key.
var ErrTooMany = errors.New("too many matches")

// NewQuery returns a Query around q. What is wrong with the options is said by the
// search.
func NewQuery(q query.Query, o QueryOptions) *Query { return &Query{q, o} }

// Inner returns the query that q collapses the matches of.
func (q *Query) Inner() query.Query { return q.inner }

// Options returns the options of q.
func (q *Query) Options() QueryOptions { return q.options }

// SetMost sets QueryOptions.Most.
func (q *Query) SetMost(n int) { q.options.Most = n }

// Validate implements bleve's query.ValidatableQuery.
func (q *Query) Validate() error {
	if indexes.NoQuery(q.inner) {
		return invalid{errors.New("collapse: query: wanted a query to collapse, got none")}
	}
	if q.options.Most < 0 {
		return invalid{fmt.Errorf("collapse: query: most: wanted 0 or more, got %d", q.options.Most)}
	}
	if _, err := newWalk(q.walkOptions()); err != nil {
		return invalid{err}
	}
	if v, ok := q.inner.(query.ValidatableQuery); ok {
		return v.Validate()
	}
	return nil
}

func (q *Query) walkOptions() Options {
	return Options{Field: q.options.Field, Rule: q.options.Rule, Visible: q.options.Visible, Missing: q.options.Missing}
}

// Searcher implements bleve's query.Query.
func (q *Query) Searcher(ctx context.Context, reader index.IndexReader, m mapping.IndexMapping, o search.SearcherOptions) (search.Searcher, error) {
	if ctx == nil {
		return nil, errors.New("collapse: query: wanted a context, got nil")
	}
	if err := q.Validate(); err != nil {
		return nil, err
	}
	w, err := newWalk(q.walkOptions())
	if err != nil {
		return nil, err
	}
	if !q.options.AllowUnsigned {
		if err := unsigned(indexes.SignedIn(reader, m, w.options.Field)); err != nil {
			return nil, err
		}
	}
	if ctx, err = withSynonyms(ctx, reader, m, q.inner); err != nil {
		return nil, err
	}
	inner, err := q.inner.Searcher(ctx, reader, m, o)
	if err != nil {
		return nil, err
	}
	inner = rootsOf(ctx, reader, inner)
	s := &searcher{Searcher: inner, ctx: ctx, reader: reader, walk: w, head: ranking(q.options.Head), most: q.options.Most}
	if s.most == 0 {
		s.most = defaultMost
	}
	if r, ok := ctx.Value(reportKey{}).(*report); ok && r.query == q {
		s.report = r
	}
	// What a match has beside its score is not kept while they are grouped: a second
	// searcher finds it again for those that stay.
	breakdown, _ := ctx.Value(search.IncludeScoreBreakdownKey).(bool)
	if o.Explain || o.IncludeTermVectors || breakdown {
		if s.again, err = q.inner.Searcher(ctx, reader, m, o); err != nil {
			return nil, errors.Join(err, inner.Close())
		}
		s.again = rootsOf(ctx, reader, s.again)
	}
	return s, nil
}
