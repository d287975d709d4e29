package collapse

import (
	"context"
	"errors"

	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/internal/paging"
	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
	"github.com/neardup/bleve-neardup/collapse/internal/whole"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// Query is a bleve query that matches what another matches, without the near-copies: of each group only the head, which
// comes first in the head order. All matches are grouped, so what bleve makes of them is right for the collapsed set:
// total, facets, every page, search_after, highlighting, explain. A query that nested documents can match is an error.
//
//	request := bleve.NewSearchRequest(collapse.NewQuery(query, collapse.QueryOptions{}))
//
// A Query sees what its inner query matches, and nothing else. Hits that the same request finds by vectors (bleve's
// build tag vectors, knn) come beside it, uncollapsed: Search collapses those too, page by page. Within a filter (of a
// boolean query, or of knn), for which bleve computes no scores, all matches tie in the default head order: each group
// keeps the one with the least id, unless Head is an order by fields. The query is answered by each member of an alias
// for itself: a group with members on two of them has two heads, where Search with Options.Whole makes one group of it,
// and words have the synonyms of each member alone. Under bleve's global scoring by BM25 it is an error of each member,
// as bleve does not gather what it needs for queries that are not its own.
//
// It takes memory for every match, about 50 bytes, and 100 more for those that have near-duplicates among the matches.
// On an index of type neardup it keeps the signatures that it reads; the grouping takes a tenth to a fifth of a
// microsecond a match once the families of the index are known (package internal/column), and two until then. On other
// indexes it reads signatures document by document.
type Query struct {
	inner   query.Query
	options QueryOptions
	keep    ranking.Keep // of a Search
	asked   bool         // of a Search, which has asked the index for the fields that the options name
}

// QueryOptions says how a Query collapses. The zero QueryOptions keeps the best match of each group, by the field's rule.
type QueryOptions struct {
	// Field, Rule, Verify, Texts, Within and By are as in Options, of the index that is searched.
	Field  string           `json:"field,omitempty"`
	Rule   signature.Rule   `json:"rule,omitzero"`
	Verify signature.Verify `json:"verify,omitzero"`
	Texts  int              `json:"texts,omitempty"`
	Within []string         `json:"within,omitempty"`
	By     *By              `json:"by,omitempty"`

	// Head is the order in which matches become heads, best score first if empty:
	// {&search.SortField{Field: "date", Desc: true}} keeps the newest of a group.
	// "_id" decides where it leaves a tie.
	Head search.SortOrder `json:"head,omitempty"`

	// Visible is how many matches of each group are kept: 1 if 0, all if it is negative. Missing and AllowUnsigned are as in
	// Options.
	Visible       int     `json:"visible,omitempty"`
	Missing       Missing `json:"missing,omitempty"`
	AllowUnsigned bool    `json:"allow_unsigned,omitempty"`

	// Budget is the most matches that are grouped, 1,000,000 if 0. A query that
	// matches more ends in an error that wraps ErrTooMany.
	Budget int `json:"budget,omitempty"`
}

// options returns o as options of a Search.
func (o QueryOptions) options() Options {
	return Options{
		Field: o.Field, Rule: o.Rule, Verify: o.Verify, Texts: o.Texts, Within: o.Within, By: o.By,
		Visible: o.Visible, Missing: o.Missing, AllowUnsigned: o.AllowUnsigned, Budget: o.Budget, Whole: true,
	}
}

// ErrTooMany is wrapped by the error where a Query matches more documents than its budget, or a Search has to
// look at more hits than its budget to come to its page.
var ErrTooMany = paging.ErrTooMany

// NewQuery returns a Query around q. The search says what is wrong with the options.
func NewQuery(q query.Query, o QueryOptions) *Query { return &Query{inner: q, options: o} }

// Inner returns the query that q collapses the matches of.
func (q *Query) Inner() query.Query { return q.inner }

// Options returns the options of q.
func (q *Query) Options() QueryOptions { return q.options }

// SetBudgets sets QueryOptions.Budget and QueryOptions.Texts.
func (q *Query) SetBudgets(matches, texts int) { q.options.Budget, q.options.Texts = matches, texts }

// Validate implements bleve's query.ValidatableQuery.
func (q *Query) Validate() error {
	if indexes.NoQuery(q.inner) {
		return invalid(errors.New("collapse: query: wanted a query to collapse, got none"))
	}
	if _, err := q.options.options().filled(); err != nil {
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
	o, _ := q.options.options().filled() // which Validate has checked
	if err := o.agree(func(field string) error { return indexes.SignedIn(reader, m, field) }, func(field string, asked signature.Rule) (signature.Rule, error) {
		rule, _, err := neardup.RuleOf(m, field, asked)
		return rule, err
	}); err != nil {
		return nil, err
	}
	if !q.asked {
		o.Head = q.options.Head
		if err := o.named(func(field string) error { return indexes.FieldIn(reader, m, field) }); err != nil {
			return nil, err
		}
	}
	return whole.NewSearcher(ctx, reader, m, q.inner, so, whole.Options{
		Head: ranking.Order(q.options.Head), Most: o.Budget, Groups: o.grouping(),
		Verify: o.Verify, Texts: o.Texts, Keep: q.keep, TooMany: ErrTooMany, Wrap: invalid,
	}, q)
}

// Field implements bleve's query.FieldableQuery: "_id", by which bleve learns that what
// matches is whole documents. It then joins these with nested documents that other parts of
// the same query match.
func (q *Query) Field() string { return "_id" }

// SetField implements bleve's query.FieldableQuery. It does nothing: the inner query has
// its own fields.
func (q *Query) SetField(string) {}
