package passages

import (
	"context"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature/resemblance"
	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/runs"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// prints is what is selected of a document whose text is not stored.
type prints = winnow.Prints

// finder finds the documents of one snapshot that share a passage with the given one.
type finder struct {
	ctx        context.Context
	reader     index.IndexReader
	analyzer   *neardup.Analyzer
	signatures *column.Reader
	texts      *verify.Snapshot
	least      int // words of a passage
	most       int // documents that may hold a fingerprint, 0 for any number

	words   int // of the given text, 0 if it is not known
	passed  int // fingerprints that were not followed
	damaged int // documents whose fingerprints cannot be read
}

// match is a document that was found.
type match struct {
	doc      uint64
	verified bool // the texts were compared: the shares are exact

	inHit, ofHit resemblance.Estimate // of the given words, and of the match's
	words        int                  // of the given text that stand in the match, if verified
}

func (q *Query) finder(ctx context.Context, reader index.IndexReader, m mapping.IndexMapping) (*finder, error) {
	n, err := reader.DocCount()
	if err != nil {
		return nil, err
	}
	f := &finder{ctx: ctx, reader: reader, most: q.most(n)}
	if f.analyzer, err = neardup.Of(m, q.field()); err != nil {
		return nil, fmt.Errorf("passages: %w", err)
	}
	t := f.analyzer.Params().Passages
	switch f.signatures = column.Of(reader, q.field()); {
	case f.signatures == nil:
		return nil, fmt.Errorf("passages: wanted an index of type %q, got one without signatures: backfill makes one of it", neardup.Name)
	case t == 0:
		return nil, fmt.Errorf("passages: field %q: wanted an analyzer with the option \"passages\", got one without: backfill makes an index of another mapping", q.field())
	case q.Least > 0 && q.Least < t:
		return nil, fmt.Errorf("passages: query: least: wanted the %d words of the passages of field %q or more, got %d", t, q.field(), q.Least)
	}
	f.least = max(t, q.Least)
	if f.texts, err = verify.NewSnapshot(reader, m, q.field(), f.signatures); err != nil {
		return nil, fmt.Errorf("passages: %w", err)
	}
	return f, nil
}

// hashes returns the tokens of a text's values, as package runs compares them.
func hashes(a *neardup.Analyzer, values [][]byte) (all [][]uint64) {
	for _, v := range values {
		all = append(all, a.Hashes(nil, v))
	}
	return all
}

func count(values [][]uint64) (n int) {
	for _, v := range values {
		n += len(v)
	}
	return n
}

// givenOf reads the document of that number, which a query is about.
func (f *finder) givenOf(q *Query, doc uint64) (*given, error) {
	sig, err := f.signatures.At(doc)
	if err != nil {
		return nil, fmt.Errorf("passages: id %q: %w", q.ID, err)
	}
	g := new(given)
	g.values, _ = f.texts.Values(doc, &sig)
	if g.values == nil {
		own, ok, err := f.signatures.Prints(doc)
		if err == nil && !ok {
			err = fmt.Errorf("wanted a document with passages of field %q, got one without", q.field())
		}
		if err != nil {
			return nil, fmt.Errorf("passages: id %q: %w", q.ID, err)
		}
		g.prints = &own
	}
	if len(q.Within) > 0 {
		r, err := fields.NewReader(f.reader, q.Within)
		if err != nil {
			return nil, err
		}
		if g.within, err = valuesIn(r, nil, doc); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// given returns the document that q is about, nil if there is none, and what is selected of it.
func (f *finder) given(q *Query) (g *given, own winnow.Prints, err error) {
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
		g = new(given)
		for _, v := range q.Text {
			g.values = append(g.values, []byte(v))
		}
	}
	if g.prints != nil {
		return g, *g.prints, nil
	}
	all, err := f.analyzer.SignWith(neardup.Figures{}, nil, g.values...)
	return g, all.Passages, err
}

// checkEvery is how many documents are looked at between looks at the context.
const checkEvery = 64

// find returns all matches, in the order of their numbers.
func (f *finder) find(q *Query) (all []match, err error) {
	g, own, err := f.given(q)
	if g == nil || err != nil {
		return nil, err
	}
	if want := f.analyzer.Params().ID(); own.Params != want {
		return nil, fmt.Errorf("passages: id %q: wanted what is selected by the parameters of field %q, %#x, got %#x", q.ID, q.field(), want, own.Params)
	}
	equal, err := q.equalIn(f.reader, g)
	if err != nil {
		return nil, err
	}
	docs, err := f.candidates(q, own)
	if err != nil {
		return nil, err
	}
	var text *runs.Text
	if g.values != nil {
		tokens := hashes(f.analyzer, g.values)
		f.words = count(tokens)
		text = runs.New(f.least, tokens)
	}
	for i, doc := range docs {
		if i%checkEvery == 0 && f.ctx.Err() != nil {
			return nil, f.ctx.Err()
		}
		if equal != nil {
			ok, err := equal(doc)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
		}
		m, ok, err := f.compare(doc, text, own)
		if err != nil {
			return nil, err
		}
		if ok {
			all = append(all, m)
		}
	}
	return all, nil
}

// candidates returns the documents that have a selected fingerprint of the given one, in the order of their numbers.
func (f *finder) candidates(q *Query, own winnow.Prints) (docs []uint64, err error) {
	p, err := f.signatures.Passages(f.ctx, own.Params)
	if err != nil {
		return nil, err
	}
	f.damaged = p.Damaged
	self := index.IndexInternalID(nil)
	if q.ID != "" && !q.Self {
		if self, err = f.reader.InternalID(q.ID); err != nil {
			return nil, err
		}
	}
	kept := 0 // of docs, sorted, each once
	for i, v := range own.Values {
		if i%checkEvery == 0 && f.ctx.Err() != nil {
			return nil, f.ctx.Err()
		}
		if f.most > 0 && p.Count(v) > f.most {
			f.passed++
			continue
		}
		p.Documents(v, func(doc uint64) bool {
			if self == nil || doc != self.Value() {
				docs = append(docs, doc)
			}
			return true
		})
		if len(docs) > 2*kept+1<<16 { // a document comes once for each fingerprint
			slices.Sort(docs)
			docs = slices.Compact(docs)
			kept = len(docs)
		}
	}
	slices.Sort(docs)
	return slices.Compact(docs), nil
}

// compare compares a candidate: by its text, or if one of the texts is not known by what is selected.
func (f *finder) compare(doc uint64, text *runs.Text, own winnow.Prints) (m match, ok bool, err error) {
	m.doc = doc
	sig, err := f.signatures.Signature(doc)
	if err != nil || sig == nil {
		return m, false, nil // which a search for near-duplicates counts
	}
	if text != nil {
		if values, a := f.texts.Values(doc, sig); values != nil {
			tokens := hashes(a, values)
			c := text.Common(tokens)
			m.verified, m.words = true, runs.Tokens(c.A)
			m.inHit, m.ofHit = exact(m.words, f.words), exact(runs.Tokens(c.B), count(tokens))
			return m, m.words > 0, nil
		}
	}
	other, ok, err := f.signatures.Prints(doc)
	if err != nil || !ok {
		return m, false, nil // which find has counted
	}
	m.inHit, m.ofHit, ok = winnow.Containment(own, other)
	return m, ok, nil
}

func exact(n, of int) resemblance.Estimate {
	return resemblance.Estimate{Value: float64(n) / float64(max(1, of))}
}
