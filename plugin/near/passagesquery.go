package near

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
)

// PassagesQuery is a bleve query for the documents that share a passage with one document, which is given by
// its text or its id. It matches all of them, and no other whose text is stored.
//
// The score is the share of the given document's words that stand in passages of the match, 0 to 1; of a
// match whose text is not stored, the estimate of it. It is multiplied by the boost, and normalised as any
// other query's where it is part of one.
type PassagesQuery struct {
	// Text is the text of the document: one value, or several as the field has them. No passage has words of two values.
	Text []string `json:"text,omitempty"`

	// TextScope is the scope that Text comes from, as in SimilarQuery.
	TextScope string `json:"text_scope,omitempty"`

	// ID names a document of the index, which is not matched itself. An index that has no such document has no
	// match: below an alias, that is every member but one, so use Passages there. If the text of the document is
	// not stored, what is selected of it is looked up, and all matches are estimated. Beside Text it is only what is
	// not matched.
	ID string `json:"id,omitempty"`

	// Self makes the document so named match, too.
	Self bool `json:"self,omitempty"`

	// Field is the fingerprinted field, signature.DefaultField if empty. Its analyzer must have the option "passages".
	Field string `json:"field,omitempty"`

	// Least is the least number of words of a passage: the number of the field's option "passages" if 0, and not less.
	Least int `json:"least,omitempty"`

	// Within names fields in which a document must be equal to the one that ID names, as in SimilarQuery.
	Within []string `json:"within,omitempty"`

	// MaxShare, 0 to 1, is the share of the guard: see the package.
	MaxShare float64 `json:"max_share,omitempty"`

	// BoostVal is the boost, 1 if nil.
	BoostVal *query.Boost `json:"boost,omitempty"`

	// Of the document of ID, which Passages has found.
	values   []byte         // of Within
	selected *winnow.Prints // if its text is not stored
}

// SetBoost implements query.BoostableQuery.
func (q *PassagesQuery) SetBoost(b float64) {
	boost := query.Boost(b)
	q.BoostVal = &boost
}

// Boost implements query.BoostableQuery.
func (q *PassagesQuery) Boost() float64 { return q.BoostVal.Value() }

// Validate implements query.ValidatableQuery.
func (q *PassagesQuery) Validate() error {
	switch {
	case len(q.Text) == 0 && q.ID == "":
		return errors.New("near: query: wanted a text or an id, got none")
	case q.Least < 0:
		return fmt.Errorf("near: query: least: wanted 0 or more words, got %d", q.Least)
	}
	if err := common(q.MaxShare, q.Within, q.ID); err != nil {
		return fmt.Errorf("near: query: %w", err)
	}
	return nil
}

func (q *PassagesQuery) field() string { return cmp.Or(q.Field, signature.DefaultField) }

// Searcher implements query.Query.
func (q *PassagesQuery) Searcher(ctx context.Context, reader index.IndexReader, m mapping.IndexMapping,
	o search.SearcherOptions,
) (search.Searcher, error) {
	return newSearcher(ctx, reader, q, o, "near.Passages", func() ([]passage, error) {
		f, err := q.quoter(ctx, reader, m)
		if err != nil {
			return nil, err
		}
		all, err := f.find(q)
		if err == nil {
			tell(ctx, q, f.passed, f.templates, f.damaged)
		}
		return all, err
	})
}
