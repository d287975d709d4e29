package near

import (
	"context"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/strict"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// quoter finds the documents of one snapshot that share a passage with the given one. It proposes documents
// by what is selected of them (package winnow), which misses none, and compares their stored texts word for
// word. Where a text is not stored, what is selected decides.
type quoter struct {
	*verify.Snapshot
	ctx        context.Context
	reader     index.IndexReader
	signatures *column.Reader
	analyzer   *neardup.Analyzer
	most       int // documents that may hold a fingerprint, 0 for any number

	// The given document.
	prints winnow.Prints
	text   *quoted // nil if it is not known

	told PassagesResult // beside hits
}

// passage is a document that was found.
type passage struct {
	doc      uint64
	verified bool // the texts were compared: the shares are exact

	inHit, ofHit sketch.Estimate // of the given words, and of the match's
	words        int             // of the given text that stand in the match, if verified
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

func (q *PassagesQuery) quoter(ctx context.Context, reader index.IndexReader, m mapping.IndexMapping) (
	f *quoter, err error,
) {
	f = &quoter{ctx: ctx, reader: reader, signatures: column.Of(reader, q.field())}
	n, err := reader.DocCount()
	if err == nil {
		f.analyzer, err = neardup.Of(m, q.field())
	}
	if err == nil && f.signatures == nil {
		err = column.ErrUnsigned
	}
	if err != nil {
		return nil, fmt.Errorf("near: %w", err)
	}
	switch least := f.analyzer.Params().Passages; {
	case least == 0:
		return nil, fmt.Errorf("near: field %q: wanted an analyzer with the option \"passages\", got one without: "+
			"backfill makes an index of another mapping", q.field())
	case q.Least > 0 && q.Least < least:
		return nil, fmt.Errorf("near: query: least: wanted the %d words of the passages of field %q or more, got %d",
			least, q.field(), q.Least)
	default:
		f.told.Least, f.most = max(least, q.Least), mostHeld(q.MaxShare, n)
	}
	f.Snapshot, err = verify.NewSnapshot(reader, m, q.field(), f.signatures)
	return f, err
}

// givenOf reads the document of that number, which a query is about.
func (f *quoter) givenOf(q *PassagesQuery, doc uint64) (*given, error) {
	sig, err := f.signatures.At(doc)
	if err != nil {
		return nil, fmt.Errorf("near: id %q: %w", q.ID, err)
	}
	g := new(given)
	if text := f.Of(doc, &sig); text != nil {
		g.Values, g.Template = textsOf[strict.ID](text.Values), text.Left
	} else {
		own, ok, err := f.signatures.Prints(doc)
		switch {
		case err == nil && !ok:
			err = fmt.Errorf("wanted a document with passages of field %q, got one without", q.field())
		case err == nil:
			g.Selected, err = own.MarshalBinary()
		}
		if err != nil {
			return nil, fmt.Errorf("near: id %q: %w", q.ID, err)
		}
	}
	if len(q.Within) > 0 {
		if g.Within, err = fields.Of(f.reader, q.Within, column.Number(doc)); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// given returns the document that q is about, nil if there is none.
func (f *quoter) given(q *PassagesQuery) (g *given, err error) {
	switch {
	case q.given != nil:
		g = q.given
	case q.ID != "":
		number, err := f.reader.InternalID(q.ID)
		if number == nil || err != nil {
			return nil, err
		}
		if g, err = f.givenOf(q, number.Value()); err != nil {
			return nil, err
		}
	default:
		g = &given{Template: f.Common(), Values: strict.IDs(q.Text)}
	}
	values := bytesOf(g.Values)
	if values != nil {
		var all [][]uint64
		all, f.told.Words = tokens(f.analyzer, values)
		f.text = newQuoted(f.told.Least, all)
	}
	if g.Selected != nil {
		return g, f.prints.UnmarshalBinary(g.Selected)
	}
	made, err := f.analyzer.SignWith(neardup.Figures{}, nil, values...)
	f.prints = made.Passages
	return g, err
}

// tokens returns the tokens of a text's values, as quoted compares them, and their number.
func tokens(a *neardup.Analyzer, values [][]byte) (all [][]uint64, n int) {
	for _, v := range values {
		all = append(all, a.Hashes(nil, v))
		n += len(all[len(all)-1])
	}
	return all, n
}

// find returns all matches, in the order of their numbers.
func (f *quoter) find(q *PassagesQuery) (all []passage, err error) {
	g, err := f.given(q)
	if g == nil || err != nil {
		return nil, err
	}
	same, err := fields.EqualTo(f.reader, fields.Options{Within: q.Within}, g.Within)
	if err != nil {
		return nil, fmt.Errorf("near: query: within: %w", err)
	}
	docs, err := f.candidates(g)
	if err != nil {
		return nil, fmt.Errorf("near: %w", err)
	}
	if q.ID != "" && !q.Self {
		self, err := f.reader.InternalID(q.ID)
		if err != nil {
			return nil, err
		}
		if self != nil {
			docs.Remove(uint32(self.Value()))
		}
	}
	for rest := docs.Iterator(); rest.HasNext(); {
		doc := uint64(rest.Next())
		if f.ctx.Err() != nil {
			return nil, f.ctx.Err()
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
		if m, ok := f.compare(doc); ok {
			all = append(all, m)
		}
	}
	return all, nil
}

// candidates returns the documents that hold a selected fingerprint of the given one. With a guard, what too many documents hold, and what stands in a template alone, is not followed.
func (f *quoter) candidates(g *given) (*roaring.Bitmap, error) {
	if want := f.analyzer.Params().ID(); f.prints.Params != want {
		return nil, fmt.Errorf("wanted what is selected by parameters %#x, got %#x", want, f.prints.Params)
	}
	held, err := f.signatures.Passages(f.ctx, f.prints.Params)
	if err != nil {
		return nil, err
	}
	f.told.Damaged = held.Damaged
	outside, err := f.outside(g)
	if err != nil {
		return nil, err
	}
	docs := roaring.New()
	for i, v := range f.prints.Values {
		if i%64 == 0 && f.ctx.Err() != nil {
			return nil, f.ctx.Err()
		}
		if f.most > 0 && outside != nil && !outside[v] {
			f.told.Templates++
			continue
		}
		if f.most > 0 && held.Count(v) > f.most {
			f.told.PassedOver++
			continue
		}
		held.Documents(v, func(doc uint64) bool {
			docs.Add(uint32(doc))
			return true
		})
	}
	return docs, nil
}

// outside returns what can be selected of the given text outside of its template, nil if nothing is left out.
func (f *quoter) outside(g *given) (map[uint64]bool, error) {
	if g.Template == nil || g.Values == nil {
		return nil, nil
	}
	_, shingles, _, err := f.analyzer.ShinglesWithout(nil, g.Template, bytesOf(g.Values)...)
	outside := make(map[uint64]bool, len(shingles))
	for _, s := range shingles {
		outside[winnow.Print(s)] = true
	}
	return outside, err
}

// compare compares the given document with another: by the texts, or if one of them is not known by what is
// selected. ok says that they share a passage. A document that cannot be read shares none.
func (f *quoter) compare(doc uint64) (m passage, ok bool) {
	sig, err := f.signatures.Signature(doc)
	if err != nil || sig == nil {
		return m, false // which a search for near-duplicates counts
	}
	m.doc = doc
	if f.text != nil {
		if text := f.Of(doc, sig); text != nil {
			other, n := tokens(text.Analyzer, text.Values)
			c := f.text.common(other)
			m.verified, m.words = true, tokensIn(c.A)
			m.inHit, m.ofHit = share(m.words, f.told.Words), share(tokensIn(c.B), n)
			return m, m.words > 0
		}
	}
	other, ok, err := f.signatures.Prints(doc)
	if err != nil || !ok {
		return m, false // which is counted
	}
	m.inHit, m.ofHit, ok = winnow.Containment(f.prints, other)
	return m, ok
}

func share(n, of int) sketch.Estimate {
	return sketch.Estimate{Value: float64(n) / float64(max(1, of))}
}
