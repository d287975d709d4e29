// Package contain finds, in one snapshot of an index, the documents that share a passage with a text, and says how much
// of each stands in the other. A [Snapshot] proposes documents by what is selected of them (package winnow), which misses
// none, and compares their stored texts word for word (package runs). Where a text is not stored, what is
// selected decides.
package contain

import (
	"context"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/resemblance"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/runs"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// Snapshot is a snapshot of an index. It is not safe for concurrent use.
type Snapshot struct {
	*verify.Snapshot
	Signatures *column.Reader
	Analyzer   *neardup.Analyzer
	Least      int // words of a passage
	Documents  uint64

	all *column.Passages // nil before the first lookup
}

// New returns the Snapshot of a reader of an index with the mapping m. Passages have least words, or as many
// as the field's option says if these are more.
func New(reader index.IndexReader, m mapping.IndexMapping, field string, least int) (s *Snapshot, err error) {
	s = &Snapshot{Signatures: column.Of(reader, field)}
	if s.Documents, err = reader.DocCount(); err != nil {
		return nil, err
	}
	if s.Analyzer, err = neardup.Of(m, field); err != nil {
		return nil, err
	}
	t := s.Analyzer.Params().Passages
	switch {
	case s.Signatures == nil:
		return nil, column.ErrUnsigned
	case t == 0:
		return nil, fmt.Errorf("field %q: wanted an analyzer with the option \"passages\", got one without: backfill makes an index of another mapping", field)
	}
	s.Least = max(t, least)
	s.Snapshot, err = verify.NewSnapshot(reader, m, field, s.Signatures)
	return s, err
}

// Text is a text that documents are compared with.
type Text struct {
	Values [][]byte // nil if the text is not known
	Prints winnow.Prints
	Words  int // 0 if the text is not known

	tokens  [][]uint64
	runs    *runs.Text
	outside map[uint64]bool // what stands outside of the template; nil without one
}

// Without makes Candidates skip what stands in a template alone. A nil left skips nothing, and neither does a text that is
// not known.
func (s *Snapshot) Without(t *Text, left *template.Set) error {
	if left == nil || t.Values == nil {
		return nil
	}
	_, shingles, _, err := s.Analyzer.ShinglesWithout(nil, left, t.Values...)
	t.outside = make(map[uint64]bool, len(shingles))
	for _, f := range shingles {
		t.outside[winnow.Print(f)] = true
	}
	return err
}

// known reports whether the text is known, not just what is selected of it.
func (t *Text) known() bool { return t.Values != nil || t.tokens != nil }

// Of returns the text of the document of that number, with the signature sig. ok is false if it has none, and
// nothing selected either.
func (s *Snapshot) Of(doc uint64, sig *signature.Signature) (t *Text, ok bool, err error) {
	values, _, _ := s.Values(doc, sig)
	t = &Text{Values: values}
	if t.Prints, ok, err = s.Signatures.Prints(doc); values != nil && (err != nil || !ok) {
		t, err = s.Given(values)
		return t, err == nil, err
	}
	return t, ok, err
}

// Given returns the text of these values.
func (s *Snapshot) Given(values [][]byte) (*Text, error) {
	all, err := s.Analyzer.SignWith(neardup.Figures{}, nil, values...)
	return &Text{Values: values, Prints: all.Passages}, err
}

// Hashes returns the tokens of a text's values, as package runs compares them.
func Hashes(a *neardup.Analyzer, values [][]byte) (all [][]uint64) {
	for _, v := range values {
		all = append(all, a.Hashes(nil, v))
	}
	return all
}

// count is the number of all tokens.
func count(values [][]uint64) (n int) {
	for _, v := range values {
		n += len(v)
	}
	return n
}

// checkEvery is how many fingerprints are looked up between looks at the context.
const checkEvery = 64

// Candidates are the documents that hold a selected fingerprint.
type Candidates struct {
	Docs      []uint64 // in the order of their numbers
	Passed    int      // fingerprints that were not followed, since too many documents hold them
	Templates int      // fingerprints that were not followed, since they stand in a template alone
}

// Candidates returns the documents that hold one of a text's selected fingerprints. What more than most documents hold, and what
// stands in a template alone, is not followed, unless most is 0. Text of other parameters is an error.
func (s *Snapshot) Candidates(ctx context.Context, own *Text, most int) (c Candidates, err error) {
	if err := s.load(ctx, own.Prints.Params); err != nil {
		return c, err
	}
	kept := 0 // of c.Docs, sorted, each once
	for i, v := range own.Prints.Values {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return c, ctx.Err()
		}
		if most > 0 && own.outside != nil && !own.outside[v] {
			c.Templates++
			continue
		}
		if most > 0 && s.all.Count(v) > most {
			c.Passed++
			continue
		}
		s.all.Documents(v, func(doc uint64) bool {
			c.Docs = append(c.Docs, doc)
			return true
		})
		if len(c.Docs) > 2*kept+1<<16 { // a document comes once for each fingerprint
			slices.Sort(c.Docs)
			c.Docs = slices.Compact(c.Docs)
			kept = len(c.Docs)
		}
	}
	slices.Sort(c.Docs)
	c.Docs = slices.Compact(c.Docs)
	return c, nil
}

// Damaged returns how many documents have fingerprints that cannot be read, once there were lookups.
func (s *Snapshot) Damaged() int {
	if s.all == nil {
		return 0
	}
	return s.all.Damaged
}

// load makes lookups of what is selected by some parameters possible.
func (s *Snapshot) load(ctx context.Context, params uint32) (err error) {
	if want := s.Analyzer.Params().ID(); params != want {
		return fmt.Errorf("wanted what is selected by parameters %#x, got %#x", want, params)
	}
	if s.all == nil {
		s.all, err = s.Signatures.Passages(ctx, params)
	}
	return err
}

// Shares says how much of two texts stands in the other.
type Shares struct {
	Verified bool // the texts were compared: the shares are exact

	InOther resemblance.Estimate // of the text's words
	OfOther resemblance.Estimate // of the other's
	Words   int                  // of the text that stand in the other, if verified
}

// Compare compares a text with the document of that number: by the texts, or if one of them is not known by what is
// selected. ok says that they share a passage.
func (s *Snapshot) Compare(t *Text, doc uint64) (v Shares, ok bool, err error) {
	sig, err := s.Signatures.Signature(doc)
	if err != nil || sig == nil {
		return v, false, nil // which a search for near-duplicates counts
	}
	if t.known() {
		if other := s.tokensOf(doc, sig); other != nil {
			v = s.compared(t, other)
			return v, v.Words > 0, nil
		}
	}
	other, ok, err := s.Signatures.Prints(doc)
	if err != nil || !ok {
		return v, false, nil // which Damaged counts
	}
	v, ok = selected(t.Prints, other)
	return v, ok, nil
}

// tokensOf reads the tokens of a document, nil if its text is not stored.
func (s *Snapshot) tokensOf(doc uint64, sig *signature.Signature) [][]uint64 {
	values, a, _ := s.Values(doc, sig)
	if values == nil {
		return nil
	}
	return Hashes(a, values)
}

// selected estimates shares by what is selected of two texts.
func selected(own, other winnow.Prints) (v Shares, ok bool) {
	v.InOther, v.OfOther, ok = winnow.Containment(own, other)
	return v, ok
}

// Fill counts the words of a text.
func (s *Snapshot) Fill(t *Text) {
	if t.runs == nil && t.known() {
		s.tokenize(t)
		t.Words, t.runs = count(t.tokens), runs.New(s.Least, t.tokens)
	}
}

func (s *Snapshot) tokenize(t *Text) {
	if t.tokens == nil {
		t.tokens = append([][]uint64{}, Hashes(s.Analyzer, t.Values)...)
	}
}

func (s *Snapshot) compared(t *Text, other [][]uint64) Shares {
	s.Fill(t)
	c := t.runs.Common(other)
	words := runs.Tokens(c.A)
	return Shares{true, share(words, t.Words), share(runs.Tokens(c.B), count(other)), words}
}

func share(n, of int) resemblance.Estimate {
	return resemblance.Estimate{Value: float64(n) / float64(max(1, of))}
}
