package passages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/trace"

	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/internal/crowd"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/lookup"
)

// Query is a bleve query for the documents that share a passage with one document, which is given by its text or its
// id. It matches all of them, and no other whose text is stored.
//
// The score is the share of the given document's words that stand in passages of the match, 0 to 1; of a match whose text
// is not stored, the estimate of it. It is multiplied by the boost, and normalised as any other
// query's where it is part of one.
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

	// Least is the least number of words of a passage: the number of the field's option "passages" if 0, and not less.
	Least int

	// Within names fields in which a document must be equal to the one that ID names, as in similar.Query.
	Within []string

	// MaxShare is the guard against what many documents quote, 0 to 1: a fingerprint that more than this share of an index's
	// documents hold, and more than 500 documents, is not followed; nor is one that stands in a template of the given document
	// alone. 1 turns the guard off, and 0 is the default: DefaultMaxShare in Search, whose Result says what was
	// passed over, and off in a Query that bleve runs, whose result has no place to say so.
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
	left   *template.Set // what its index leaves out of it
}

// DefaultMaxShare is MaxShare in Search if it is 0.
const DefaultMaxShare = crowd.MaxShare

// SetBoost implements query.BoostableQuery.
func (q *Query) SetBoost(b float64) {
	boost := query.Boost(b)
	q.BoostVal = &boost
}

// Boost implements query.BoostableQuery.
func (q *Query) Boost() float64 { return q.BoostVal.Value() }

// Validate implements query.ValidatableQuery.
func (q *Query) Validate() error {
	switch {
	case len(q.Text) > 0 == (q.ID != ""):
		return errors.New("passages: query: wanted a text or an id, got none or both")
	case q.given != nil && q.ID == "":
		return errors.New("passages: query: given: wanted the id of the document, got none")
	case q.Least < 0:
		return fmt.Errorf("passages: query: least: wanted 0 or more words, got %d", q.Least)
	}
	if err := crowd.CheckShare(q.MaxShare); err != nil {
		return fmt.Errorf("passages: query: %w", err)
	}
	if _, err := q.within(); err != nil {
		return fmt.Errorf("passages: query: %w", err)
	}
	return nil
}

// within returns the fields in which documents must be equal to the one of q.
func (q *Query) within() (fields.Options, error) {
	return fields.EqualToID(q.Within, q.ID)
}

func (q *Query) field() string { return cmp.Or(q.Field, signature.DefaultField) }

// Searcher implements query.Query.
func (q *Query) Searcher(ctx context.Context, reader index.IndexReader, m mapping.IndexMapping, o search.SearcherOptions) (search.Searcher, error) {
	if ctx == nil {
		return nil, errors.New("passages: query: wanted a context, got nil")
	}
	if err := q.Validate(); err != nil {
		return nil, err
	}
	return lookup.New(reader, q.Boost(), o, func() ([]match, error) {
		defer trace.StartRegion(ctx, "passages.lookup").End()
		f, err := q.finder(ctx, reader, m)
		if err != nil {
			return nil, err
		}
		all, err := f.find(q)
		if r, ok := ctx.Value(reportKey{}).(*report); ok && r.query == q && err == nil {
			r.passed, r.left, r.damaged, r.words, r.least = f.passed, f.left, f.damaged, f.words, f.Least
			r.matches = make(map[uint64]match, len(all))
			for _, m := range all {
				r.matches[m.doc] = m
			}
		}
		return all, err
	})
}

// reportKey is the key of a *report in a context.
type reportKey struct{}

// report is what one index tells of a query beside bleve's matches. One search fills it in.
type report struct {
	query                 *Query
	passed, left, damaged int
	words, least          int
	matches               map[uint64]match
}
