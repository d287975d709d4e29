package near

import (
	"context"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/leftout"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// asked is the document that a query is about.
type asked struct {
	analyzer *neardup.Analyzer
	least    int // words of a passage
	prints   winnow.Prints
	values   [][]byte // nil if the text is not known
	tokens   [][]uint64
	words    int
	quoted   *quoted // of tokens, once one is compared with it
}

// set makes a the document of a text, or if selected is not nil of what is selected.
func (a *asked) set(text []string, selected *winnow.Prints) error {
	if selected != nil {
		a.prints = *selected
		return nil
	}
	a.values = as[[]byte](text)
	a.tokens = tokens(a.analyzer, a.values)
	a.words = count(a.tokens)
	made, err := a.analyzer.SignWith(neardup.Figures{}, nil, a.values...)
	a.prints = made.Passages
	return err
}

// common is what the text, which is A, and another of these tokens have in common.
func (a *asked) common(other [][]uint64) shared {
	if a.quoted == nil {
		a.quoted = newQuoted(a.least, a.tokens)
	}
	return a.quoted.common(other)
}

// tokens returns the tokens of a text's values, as quoted compares them.
func tokens(a *neardup.Analyzer, values [][]byte) (all [][]uint64) {
	for _, v := range values {
		all = append(all, a.Hashes(nil, v))
	}
	return all
}

func count(tokens [][]uint64) (n int) {
	for _, value := range tokens {
		n += len(value)
	}
	return n
}

// share is the share of the tokens of a text, of so many, that stand in spans.
func share(spans []tokenSpan, of int) sketch.Estimate {
	return sketch.Estimate{Value: float64(tokensIn(spans)) / float64(max(1, of))}
}

// quoter finds the documents of one snapshot that share a passage with the given one. It proposes documents
// by what is selected of them (package winnow), which misses none, and compares their stored texts word for
// word. Where a text is not stored, what is selected decides.
type quoter struct {
	asked
	stored     *verify.Snapshot
	ctx        context.Context
	reader     index.IndexReader
	signatures *column.Reader
	most       int // documents that may hold a fingerprint, 0 for any number

	inside []tokenSpan // what of the given text is in its template

	passed, templates, damaged int // fingerprints that were not followed, and documents whose fingerprints cannot be read
}

// passage is a document that was found.
type passage struct {
	doc      uint64
	verified bool // the texts were compared: the shares are exact

	inHit sketch.Estimate // of the given words
	words int             // of the given text that stand in the match, if verified
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

// analyzer returns the analyzer of the field, and the least number of words of a passage.
func (q *PassagesQuery) analyzer(m mapping.IndexMapping) (a *neardup.Analyzer, least int, err error) {
	if a, err = neardup.Kept(m, q.field()); err != nil {
		return nil, 0, fmt.Errorf("near: %w", err)
	}
	switch least = a.Params().Passages; {
	case least == 0:
		return nil, 0, fmt.Errorf("near: field %q: wanted an analyzer with the option \"passages\", got one without: "+
			"backfill makes an index of another mapping", q.field())
	case q.Least > 0 && q.Least < least:
		return nil, 0, fmt.Errorf("near: query: least: wanted the %d words of the passages of field %q or more, got %d",
			least, q.field(), q.Least)
	}
	return a, max(least, q.Least), nil
}

func (q *PassagesQuery) quoter(ctx context.Context, reader index.IndexReader, m mapping.IndexMapping) (
	f *quoter, err error,
) {
	f = &quoter{ctx: ctx, reader: reader, signatures: column.Of(reader, q.field())}
	if f.analyzer, f.least, err = q.analyzer(m); err != nil {
		return nil, err
	}
	n, err := reader.DocCount()
	if err == nil && f.signatures == nil {
		err = column.ErrUnsigned
	}
	if err != nil {
		return nil, fmt.Errorf("near: %w", err)
	}
	f.most = mostHeld(q.MaxShare, n)
	f.stored, err = verify.NewSnapshot(reader, m, q.field(), f.signatures)
	return f, err
}

// read reads the document of that number, which q names: its text and what its index leaves out of that, or if the text
// is not stored what is selected of it.
func (f *quoter) read(q *PassagesQuery, doc uint64) (text []string, left *template.Set, selected *winnow.Prints, err error) {
	sig, err := f.signatures.At(doc)
	if err == nil {
		if own := f.stored.Of(doc, &sig); own != nil {
			return as[string](own.Values), own.Left, nil, nil
		}
		var own winnow.Prints
		var ok bool
		if own, ok, err = f.signatures.Prints(doc); err == nil && !ok {
			err = fmt.Errorf("wanted a document with passages of field %q, got one without", q.field())
		}
		selected = &own
	}
	if err != nil {
		return nil, nil, nil, fmt.Errorf("near: id %q: %w", q.ID, err)
	}
	return nil, nil, selected, nil
}

// find returns all matches, in the order of their numbers.
func (f *quoter) find(q *PassagesQuery) (all []passage, err error) {
	own, err := number(f.reader, q.ID)
	if err != nil {
		return nil, err
	}
	text, selected := q.Text, q.selected
	var left *template.Set
	switch {
	case len(text) > 0:
		var sets *template.Sets
		if sets, err = leftout.In(f.reader.GetInternal, q.field()); err == nil {
			left = sets.Of(q.TextScope)
		}
	case selected == nil && own == nil:
		return nil, nil
	case selected == nil:
		text, left, selected, err = f.read(q, own.Value())
	}
	if err == nil {
		err = f.set(text, selected)
	}
	if err != nil {
		return nil, err
	}
	same, err := equalTo(f.reader, q.ID, q.Within, q.values, own)
	if err != nil {
		return nil, err
	}
	docs, err := f.candidates(left)
	if err != nil {
		return nil, fmt.Errorf("near: %w", err)
	}
	if own != nil && !q.Self {
		docs.Remove(uint32(own.Value()))
	}
	for rest := docs.Iterator(); rest.HasNext(); {
		doc := uint64(rest.Next())
		if f.ctx.Err() != nil {
			return nil, f.ctx.Err()
		}
		ok, err := same(doc)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if m, ok := f.compare(doc); ok {
			all = append(all, m)
		}
	}
	return all, nil
}

// candidates returns the documents that hold a selected fingerprint of the given one. With a guard, what too many
// documents hold, and what stands in the template left alone, is not followed.
func (f *quoter) candidates(left *template.Set) (*roaring.Bitmap, error) {
	if want := f.analyzer.Params().ID(); f.prints.Params != want {
		return nil, fmt.Errorf("wanted what is selected by parameters %#x, got %#x", want, f.prints.Params)
	}
	held, err := f.signatures.Passages(f.ctx, f.prints.Params)
	if err != nil {
		return nil, err
	}
	f.damaged = held.Damaged
	outside, err := f.outside(left)
	if err != nil {
		return nil, err
	}
	docs := roaring.New()
	for i, v := range f.prints.Values {
		if i%64 == 0 && f.ctx.Err() != nil {
			return nil, f.ctx.Err()
		}
		if f.most > 0 && outside != nil && !outside[v] {
			f.templates++
			continue
		}
		if f.most > 0 && held.Count(v) > f.most {
			f.passed++
			continue
		}
		held.Documents(v, func(doc uint64) bool {
			docs.Add(uint32(doc))
			return true
		})
	}
	return docs, nil
}

// outside returns what is selected of the windows of the given text that are not whole in its template, nil if nothing
// is left out. These are the windows of what is outside of it and a word less than a window around.
func (f *quoter) outside(left *template.Set) (map[uint64]bool, error) {
	if left == nil {
		return nil, nil
	}
	params := f.analyzer.Params()
	m, err := signature.NewMaker(params)
	if err != nil {
		return nil, err
	}
	around := params.Passages - 1
	for i, value := range f.values {
		_, tokens := f.analyzer.Tokens(value)
		from := 0
		for _, r := range append(left.Runs(params.TermHashes(nil, tokens)), template.Run{From: len(tokens)}) {
			if from < r.From {
				for _, t := range tokens[max(0, from-around):min(len(tokens), r.From+around)] {
					m.Term(t.Term)
				}
				m.EndValue()
			}
			f.inside = append(f.inside, tokenSpan{i, r.From, r.To})
			from = r.To
		}
	}
	outside := map[uint64]bool{}
	for _, v := range m.Passages().Values {
		outside[v] = true
	}
	return outside, nil
}

// compare compares the given document with another: by the texts, or if one of them is not known by what is selected.
// The signature says which text it is. ok says that they share a passage, and not within a template alone.
func (f *quoter) compare(doc uint64) (m passage, ok bool) {
	m.doc = doc
	if sig, err := f.signatures.Signature(doc); err == nil && f.values != nil {
		if text := f.stored.Of(doc, sig); text != nil {
			c := f.common(tokens(text.Analyzer, text.Values))
			m.verified, m.words, m.inHit = true, tokensIn(c.A), share(c.A, f.words)
			ok = slices.ContainsFunc(c.A, func(s tokenSpan) bool {
				return f.most <= 0 || !slices.ContainsFunc(f.inside, func(in tokenSpan) bool { return in.Value == s.Value && in.From <= s.From && s.To <= in.To })
			})
			if !ok && len(c.A) > 0 {
				f.templates = max(f.templates, 1)
			}
			return m, ok
		}
	}
	other, ok, err := f.signatures.Prints(doc)
	if err != nil || !ok {
		return m, false // which is counted
	}
	m.inHit, _, ok = winnow.Containment(f.prints, other)
	return m, ok
}
