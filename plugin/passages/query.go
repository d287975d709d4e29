package passages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/trace"

	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/fields"
)

// Query is a bleve query for the documents that share a passage with one document, which is given by its text or its
// id. It matches all of them, and no other whose text is stored.
//
// The score is the share of the given document's words that stand in passages of the match, 0 to 1; of a match whose text
// is not stored, the estimate of it. It is multiplied by the boost, and normalised as any other
// query's where it is part of one. A Query is for local indexes: it has no JSON.
type Query struct {
	// Text is the text of the document: one value, or several as the field has them. No passage has words of two values.
	Text []string

	// ID names a document of the index, which is not matched itself. An index that has no such document has no match: below
	// an alias, that is every member but one, so use Search there. If the text of the document is not
	// stored, what is selected of it is looked up, and all matches are estimated.
	ID string

	// Self makes the document so named match, too.
	Self bool

	// Field is the fingerprinted field, signature.DefaultField if empty. Its analyzer must have the option "passages".
	Field string

	// Least is the least number of words of a passage: that of the field's option "passages" if 0, and not less.
	Least int

	// Within names fields in which a document must be equal to the one that ID names, as in similar.Query.
	Within        []string
	WithinMissing collapse.Missing

	// MaxShare is the guard against what many documents quote, 0 to 1: a fingerprint that more than this share of an index's
	// documents hold, and more than 500 documents, is not followed. 1 stands for no guard; 0 for 1,
	// but in Search for DefaultMaxShare. Search tells of what was passed over; bleve's
	// result for a Query has no place for it.
	MaxShare float64

	// BoostVal is the boost, 1 if nil.
	BoostVal *query.Boost

	given *given // of ID, which Search has found
}

// given is the document that a query is about.
type given struct {
	values [][]byte // nil if the text is not known
	prints *prints  // of a document whose text is not known
	within fields.Values
}

// DefaultMaxShare is MaxShare in Search if it is 0.
const DefaultMaxShare = .01

// minGuarded is how many documents may hold a fingerprint whatever their share.
const minGuarded = 500

// SetBoost implements query.BoostableQuery.
func (q *Query) SetBoost(b float64) {
	boost := query.Boost(b)
	q.BoostVal = &boost
}

// Boost implements query.BoostableQuery.
func (q *Query) Boost() float64 { return q.BoostVal.Value() }

// MarshalJSON returns an error: an index in another process cannot be asked.
func (q *Query) MarshalJSON() ([]byte, error) {
	return nil, errors.New("passages: wanted a local index, got a query to be sent to another process")
}

// Validate implements query.ValidatableQuery.
func (q *Query) Validate() error {
	switch {
	case len(q.Text) > 0 == (q.ID != ""):
		return errors.New("passages: query: wanted a text or an id, got none or both")
	case q.Least < 0:
		return fmt.Errorf("passages: query: least: wanted 0 or more words, got %d", q.Least)
	case !(q.MaxShare >= 0 && q.MaxShare <= 1):
		return fmt.Errorf("passages: query: max_share: wanted 0 to 1, got %v", q.MaxShare)
	}
	return q.checkWithin()
}

func (q *Query) field() string { return cmp.Or(q.Field, signature.DefaultField) }

// most is how many of n documents may hold a fingerprint that is followed, 0 for all.
func (q *Query) most(n uint64) int {
	if q.MaxShare == 0 || q.MaxShare >= 1 {
		return 0
	}
	return max(minGuarded, int(math.Ceil(q.MaxShare*float64(n))))
}

// Searcher implements query.Query.
func (q *Query) Searcher(ctx context.Context, reader index.IndexReader, m mapping.IndexMapping, o search.SearcherOptions) (search.Searcher, error) {
	if ctx == nil {
		return nil, errors.New("passages: query: wanted a context, got nil")
	}
	if err := q.Validate(); err != nil {
		return nil, err
	}
	if _, dry := reader.(interface{ Dry() }); dry { // package collapse/serve counts what other queries look up
		return &searcher{boost: q.Boost()}, nil
	}
	defer trace.StartRegion(ctx, "passages.lookup").End()
	f, err := q.finder(ctx, reader, m)
	if err != nil {
		return nil, err
	}
	s := &searcher{boost: q.Boost(), weight: 1, options: o}
	if s.matches, err = f.find(q); err != nil {
		return nil, err
	}
	if r, ok := ctx.Value(reportKey{}).(*report); ok && r.query == q {
		r.passed, r.damaged, r.words, r.least = f.passed, f.damaged, f.words, f.least
		r.matches = make(map[uint64]match, len(s.matches))
		for _, m := range s.matches {
			r.matches[m.doc] = m
		}
	}
	return s, nil
}

// reportKey is the key of a *report in a context.
type reportKey struct{}

// report is what one index tells of a query beside bleve's matches. One search fills it in.
type report struct {
	query           *Query
	passed, damaged int
	words, least    int
	matches         map[uint64]match
}
