package near

import (
	"context"
	"fmt"

	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature/resemblance"
	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/contain"
	"github.com/neardup/bleve-neardup/internal/crowd"
	"github.com/neardup/bleve-neardup/internal/fields"
)

// prints is what is selected of a document whose text is not stored.
type prints = winnow.Prints

// quoter finds the documents of one snapshot that share a passage with the given one.
type quoter struct {
	*contain.Snapshot
	ctx    context.Context
	reader index.IndexReader
	most   int // documents that may hold a fingerprint, 0 for any number

	words   int // of the given text, 0 if it is not known
	passed  int // fingerprints that were not followed
	left    int // fingerprints that were not followed, since they stand in a template
	damaged int // documents whose fingerprints cannot be read
}

// passage is a document that was found.
type passage struct {
	doc      uint64
	verified bool // the texts were compared: the shares are exact

	inHit, ofHit resemblance.Estimate // of the given words, and of the match's
	words        int                  // of the given text that stand in the match, if verified
}

// Number implements found.
func (m passage) Number() uint64 { return m.doc }

// Score implements found.
func (m passage) Score() float64 { return m.inHit.Value }

// Explain implements found.
func (m passage) Explain() string {
	if m.verified {
		return fmt.Sprintf("share of the given text, exact: %d words stand in the document", m.words)
	}
	return fmt.Sprintf("share of the given text, estimated: %v", m.inHit)
}

func (q *PassagesQuery) quoter(ctx context.Context, reader index.IndexReader, m mapping.IndexMapping) (*quoter, error) {
	s, err := contain.New(reader, m, q.field(), q.Least)
	if err != nil {
		return nil, fmt.Errorf("near: %w", err)
	}
	if q.Least > 0 && q.Least < s.Least {
		return nil, fmt.Errorf("near: query: least: wanted the %d words of the passages of field %q or more, got %d", s.Least, q.field(), q.Least)
	}
	return &quoter{Snapshot: s, ctx: ctx, reader: reader, most: crowd.Most(q.MaxShare, s.Documents)}, nil
}

// givenOf reads the document of that number, which a query is about.
func (f *quoter) givenOf(q *PassagesQuery, doc uint64) (*given, error) {
	sig, err := f.Signatures.At(doc)
	if err != nil {
		return nil, fmt.Errorf("near: id %q: %w", q.ID, err)
	}
	g := new(given)
	g.values, _, g.left = f.Values(doc, &sig)
	if g.values == nil {
		own, ok, err := f.Signatures.Prints(doc)
		if err == nil && !ok {
			err = fmt.Errorf("wanted a document with passages of field %q, got one without", q.field())
		}
		if err != nil {
			return nil, fmt.Errorf("near: id %q: %w", q.ID, err)
		}
		g.prints = &own
	}
	if len(q.Within) > 0 {
		if g.within, err = fields.Of(f.reader, q.Within, column.Number(doc)); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// given returns the document that q is about, nil if there is none, and what is selected of it.
func (f *quoter) given(q *PassagesQuery) (g *given, own winnow.Prints, err error) {
	switch {
	case q.given != nil:
		g = q.given
	case q.ID != "":
		number, err := f.reader.InternalID(q.ID)
		if number == nil || err != nil {
			return nil, own, err
		}
		if g, err = f.givenOf(q, number.Value()); err != nil {
			return nil, own, err
		}
	default:
		g = &given{left: f.Common()}
		for _, v := range q.Text {
			g.values = append(g.values, []byte(v))
		}
	}
	if g.prints != nil {
		return g, *g.prints, nil
	}
	t, err := f.Given(g.values)
	if err != nil {
		return nil, own, err
	}
	return g, t.Prints, nil
}

// find returns all matches, in the order of their numbers.
func (f *quoter) find(q *PassagesQuery) (all []passage, err error) {
	g, own, err := f.given(q)
	if g == nil || err != nil {
		return nil, err
	}
	same, err := fields.EqualTo(f.reader, fields.Options{Within: q.Within}, g.within)
	if err != nil {
		return nil, fmt.Errorf("near: query: within: %w", err)
	}
	text := &contain.Text{Values: g.values, Prints: own}
	if err := f.Without(text, g.left); err != nil {
		return nil, fmt.Errorf("near: %w", err)
	}
	c, err := f.Candidates(f.ctx, text, f.most)
	if err != nil {
		return nil, fmt.Errorf("near: %w", err)
	}
	f.passed, f.left = c.Passed, c.Templates
	self := index.IndexInternalID(nil)
	if q.ID != "" && !q.Self {
		if self, err = f.reader.InternalID(q.ID); err != nil {
			return nil, err
		}
	}
	f.Fill(text)
	f.words = text.Words
	for i, doc := range c.Docs {
		if i%64 == 0 && f.ctx.Err() != nil {
			return nil, f.ctx.Err()
		}
		if self != nil && doc == self.Value() {
			continue
		}
		if same != nil {
			ok, err := same(doc)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
		}
		v, ok, err := f.Compare(text, doc)
		if err != nil {
			return nil, err
		}
		if ok {
			all = append(all, passage{doc, v.Verified, v.InOther, v.OfOther, v.Words})
		}
	}
	f.damaged = f.Damaged()
	return all, nil
}
