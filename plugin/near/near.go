// Package near finds what resembles a document in an index, or shares a passage with it.
//
//	result, err := near.Similar(ctx, index, near.SimilarRequest{Query: near.SimilarQuery{ID: "page"}})
//	for _, hit := range result.Hits {
//		fmt.Println(hit.ID, hit.Resemblance, hit.By)
//	}
//
// [Similar] finds the near-duplicates of one document, [Passages] the documents that have words in a row in
// common with it, such as quotes, and [Groups] lists all groups of near-duplicates. [Campaign] lists the
// copies of a text that got in. Similar and Passages ask an index of type neardup, an alias, or indexes in
// other processes. A [SimilarQuery] and a [PassagesQuery] are bleve queries, to be combined with others,
// collapsed, sorted, counted in facets, or sent in JSON, which [Parser] reads.
//
// # What is promised
//
// Similar finds all documents whose signature meets the rule, and no other: keys are chosen so that no
// near-duplicate is missed (package table), and what they lead to is judged by the rule, or with
// SimilarQuery.Verify by the texts. Without a guard both back ends find the same. A query is about one fingerprinted
// field. A conjunction of queries finds what is near in each of their fields, and a disjunction what is near in any.
//
// Passages takes the option "passages" of the field's analyzer, which says how many words a passage has at
// least. 50 is right for plagiarism and quoted mails. Every document that has as many words in a row in
// common with the given text is found, always: package winnow says why. Words are equal if the analyzer makes
// equal tokens of them, so case, punctuation and space do not matter. No passage crosses from one value of a
// field to the next. A text of fewer words has no passage. A document whose text is stored matches only if
// its text has such a passage, and the shares and places in its hit are exact. Of a document whose text is
// not stored, the selected fingerprints decide: it shares one, and the shares are estimates.
//
// A document without a signature, or whose signature cannot be read, is not found. Result.Damaged counts the second, and
// Result.Status names the members of an alias that did not answer. TotalRelation is then "gte": "nothing was found" is
// certain only if it is "eq".
//
// # The guard
//
// What many documents have, such as a template or a disclaimer, makes keys that lead to all of them. Both
// searches pass over keys, or fingerprints, that more than the share MaxShare of an index's documents hold, and
// more than 500 documents, and say so in PassedOver and TotalRelation. Passages also passes over what stands whole in a
// template (package plugin/templates) of those that an index leaves out of the given document, or out of
// documents without a scope if a text is given. A document that is found by another passage is shown with all it
// shares. A MaxShare of 1 turns the guard off. 0 is DefaultMaxShare in Similar and Passages, and turns it off in
// a query that bleve runs, whose result has no place to say what was passed over.
package near

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// Request asks for the documents that a query finds: see SimilarRequest and PassagesRequest.
type Request[Q any] struct {
	// Query says which. In an alias, its ID is that of a document in any member. A boost has no effect.
	Query Q

	// Filter leaves only the documents that it matches; nil leaves all.
	Filter query.Query

	// Size and From are the page: Size hits, 10 if 0, from the From-th on.
	Size, From int

	// Fields are the stored fields to load with each hit.
	Fields []string
}

// Hit is what hits of both searches have.
type Hit struct {
	// Index is the name of the document's index, and ID its id.
	Index string `json:"index,omitempty"`
	ID    string `json:"id"`

	// Verified says that the texts were compared. The shares are then exact, and otherwise estimates.
	Verified bool `json:"verified,omitempty"`

	// InHit is the share of the given document that the hit has, and OfHit the share of the hit that the given
	// document has: of shingles, or in Passages of words that stand in passages. At 1, one contains the other
	// whole.
	InHit sketch.Estimate `json:"in_hit"`
	OfHit sketch.Estimate `json:"of_hit"`

	// Fields are the stored fields that were asked for.
	Fields map[string]any `json:"fields,omitempty"`
}

// Result is what results of both searches have beside hits.
type Result struct {
	// Total is the number of documents on all pages, and TotalRelation whether that is exact:
	// bleve.TotalRelationEq, or bleve.TotalRelationGte if something was passed over or cannot be read, if a
	// member failed, if the plan might miss some, or, in Similar, if there is a guard and a remote member, which
	// does not say whether it passed over keys.
	Total         uint64 `json:"total"`
	TotalRelation string `json:"total_relation"`

	// PassedOver is how many keys, or fingerprints, the guard did not follow in all indexes together; of Similar,
	// in those of this process.
	PassedOver int `json:"passed_over,omitempty"`

	// Damaged is how many documents of this process's indexes cannot be read; with Terms, of those that keys lead to.
	Damaged int `json:"damaged,omitempty"`

	// Status is bleve's: which members of an alias failed.
	Status *bleve.SearchStatus `json:"status"`

	// Took is the time of the whole call.
	Took time.Duration `json:"took"`
}

// ErrNotFound: no member has a document of the id.
var ErrNotFound = errors.New("no such document")

// DefaultMaxShare is MaxShare in Similar and Passages if it is 0.
const DefaultMaxShare = .01

// mostHeld returns how many of n documents may hold a key that is followed, 500 or more; 0 for all: the guard is off
// at a share of 0 or 1.
func mostHeld(share float64, n uint64) int {
	if share == 0 || share >= 1 {
		return 0
	}
	return max(500, int(math.Ceil(share*float64(n))))
}

// check returns an error for a request that cannot be asked, and fills in the size of the page. q is its
// query, and named are the fields that it names.
func (r *Request[Q]) check(ctx context.Context, x bleve.Index, q query.ValidatableQuery, named ...string) error {
	if err := indexes.Check(ctx, x); err != nil {
		return fmt.Errorf("near: %w", err)
	}
	if err := q.Validate(); err != nil {
		return err
	}
	size, err := indexes.Page(r.Size, r.From)
	if err == nil && r.Filter != nil && indexes.NoQuery(r.Filter) {
		err = fmt.Errorf("filter: wanted a query, got a nil %T", r.Filter)
	}
	if err != nil {
		return fmt.Errorf("near: %w", err)
	}
	r.Size = cmp.Or(size, 10)
	return checkFields(x, "within", named)
}

// checkFields returns an error if x has no field of one of these names.
func checkFields(x bleve.Index, option string, names []string) error {
	for _, name := range names {
		if err := indexes.Field(x, name); err != nil {
			return fmt.Errorf("near: %s: %w", option, indexes.Closed(x, err))
		}
	}
	return nil
}

// ask searches x for the page of best matches of q that the filter matches too: by score, then by id. It loads the
// stored fields that are named, and others that stored.Strip takes out again.
func (r *Request[Q]) ask(ctx context.Context, x bleve.Index, q query.Query, rep *report, added ...string) (*bleve.SearchResult, error) {
	rep.query = q
	if r.Filter != nil {
		filtered := query.NewBooleanQuery([]query.Query{q}, nil, nil)
		filtered.AddFilter(r.Filter)
		q = filtered
	}
	s := bleve.NewSearchRequestOptions(q, r.Size, r.From, false)
	s.SortBy([]string{"-_score", "_id"})
	if s.Fields = append(slices.Clone(r.Fields), added...); slices.Contains(r.Fields, "*") {
		s.Fields = []string{"*"} // bleve would load twice what is named besides
	}
	res, err := x.SearchInContext(context.WithValue(ctx, reportKey{}, rep), s)
	if err == nil && res.Status.Failed > 0 && res.Status.Successful == 0 {
		err = fmt.Errorf("near: %w", failure(res.Status))
	}
	return res, err
}

// report is when a call began, and what the indexes of this process say about its query besides the matches.
type report struct {
	began time.Time
	query query.Query

	mu                                  sync.Mutex
	members, passed, templates, damaged int
}

// reportKey is the key of a report in a context.
type reportKey struct{}

// tell adds to the report of ctx, if it is one about q, what one index says.
func tell(ctx context.Context, q query.Query, passed, templates, damaged int) {
	if r, ok := ctx.Value(reportKey{}).(*report); ok && r.query == q {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.members++
		r.passed += passed
		r.templates += templates
		r.damaged += damaged
	}
}

// result is what res and the report say together; share is the guard's.
func (r *report) result(res *bleve.SearchResult, share float64) Result {
	own := Result{res.Total, bleve.TotalRelationEq, r.passed, r.damaged, res.Status, 0}
	if res.Status.Failed > 0 || r.passed+r.templates+r.damaged > 0 || share < 1 && r.members < res.Status.Successful {
		own.TotalRelation = bleve.TotalRelationGte
	}
	return own
}

// common checks what both queries have.
func common(share float64, within []string, id string) error {
	if !(share >= 0 && share <= 1) {
		return fmt.Errorf("max_share: wanted 0 to 1, got %v", share)
	}
	err := fields.Options{Within: within}.Validate()
	if err == nil && len(within) > 0 && id == "" {
		err = errors.New("within: wanted the id of a document, which has the values, got none; a filter says which documents are looked at for a text")
	}
	return err
}

// failure joins the errors of an alias's members.
func failure(s *bleve.SearchStatus) error {
	var all []error
	for name, err := range s.Errors {
		all = append(all, fmt.Errorf("%s: %w", name, err))
	}
	slices.SortFunc(all, func(a, b error) int { return cmp.Compare(a.Error(), b.Error()) })
	return fmt.Errorf("%d of %d members failed: %w", s.Failed, s.Total, errors.Join(all...))
}

// as returns the values of a text in another form, nil for nil.
func as[To, From string | []byte](values []From) (all []To) {
	for _, v := range values {
		all = append(all, To(v))
	}
	return all
}

// checkEvery is how many documents are looked at between looks at the context.
const checkEvery = 1024
