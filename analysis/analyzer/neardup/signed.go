package neardup

import (
	"slices"

	"github.com/blevesearch/bleve/v2/analysis"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/html"
	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
)

// Figures says which figures of a document Analyzer.SignWith makes beside its signature.
type Figures struct {
	Repetition bool // asks for Signed.Repetition
	Hidden     bool // asks for Signed.Words; an analyzer without the char filter "neardup_html" ignores it
	Shingles   bool // asks for Signed.Shingles
}

// Signed is what an Analyzer made of a document.
type Signed struct {
	Signature signature.Signature

	// Terms are those of the document's field in an index of type neardup.
	Terms analysis.TokenStream

	// Left is how many tokens of a template were left out.
	Left uint64

	// Repetition is what the whole document repeats, nil if that was not asked for.
	Repetition *repetition.Figures

	// Words is how many of its words HTML hides, nil if that was not asked for.
	Words *html.Words

	// Shingles are the fingerprints of its distinct shingles, nil if that was not asked for: see
	// signature.Maker.Shingles.
	Shingles []uint64

	// Passages are the selected fingerprints of the whole document, the zero Prints unless Params.Passages
	// is set.
	Passages winnow.Prints
}

// SignWith returns what a makes of a document with the given values, which it does not change, without the shingles
// of t: see signature.Maker.Without. A document of which nothing would remain is signed as it is. A nil t leaves
// nothing out. The figures that f asks for are made in the same pass. The error is that of Takes.
func (a *Analyzer) SignWith(f Figures, t *template.Set, values ...[]byte) (made Signed, err error) {
	m := a.makers.Get().(*signature.Maker)
	defer a.makers.Put(m)
	if err := m.Without(t); err != nil {
		return made, err
	}
	defer m.Without(nil)
	if f.Hidden && a.chain.seesHidden() {
		made.Words = new(html.Words)
	}
	var c *repetition.Counter
	if f.Repetition {
		c = a.counters.Get().(*repetition.Counter)
		defer a.counters.Put(c)
	}
	m.Repetition(c)
	defer m.Repetition(nil)
	size := a.write(m, made.Words, values...)
	made.Left = m.Left()
	if a.params.Passages > 0 {
		made.Passages = m.Passages()
	}
	if f.Shingles {
		made.Shingles = slices.Clone(m.Shingles())
	}
	made.Terms, made.Signature = a.terms.finish(m, false, size)
	if c != nil {
		figures := c.Figures()
		made.Repetition = &figures
	}
	if made.Left > 0 && made.Signature.Tokens == 0 {
		whole, err := a.SignWith(Figures{Shingles: f.Shingles}, nil, values...)
		whole.Repetition, whole.Words = made.Repetition, made.Words
		return whole, err
	}
	return made, nil
}

// Takes returns an error if signatures of a cannot leave t out: see signature.Maker.Without. A nil
// t is no error.
func (a *Analyzer) Takes(t *template.Set) error {
	m := a.makers.Get().(*signature.Maker)
	defer a.makers.Put(m)
	defer m.Without(nil)
	return m.Without(t)
}

// Hashes appends to dst the hashes of the tokens of one value, as Sign and
// template.Learn take them. It does not change value.
func (a *Analyzer) Hashes(dst []uint64, value []byte) []uint64 {
	return a.HashText(dst, a.chain.text(value, nil))
}

// HashText is Hashes for a text that the char filters have made, or a part of it: see Tokens.
func (a *Analyzer) HashText(dst []uint64, text []byte) []uint64 {
	if a.chain.tokenizer == "" {
		return a.params.Hashes(dst, text)
	}
	return a.params.TermHashes(dst, a.tokensOf(text))
}

// Remaining returns the tokens of one value that remain without the shingles of t, and those
// that are left out: runs of tokens that follow one another, in the order of the value. No
// shingle of the signature crosses from one to the next. text is as in Tokens. A nil t leaves
// nothing out.
func (a *Analyzer) Remaining(t *template.Set, value []byte) (text []byte, remain, left [][]token.Token) {
	text, tokens := a.Tokens(value)
	from := 0
	add := func(to *[][]token.Token, from, end int) {
		if from < end {
			*to = append(*to, tokens[from:end:end])
		}
	}
	if t != nil {
		for _, r := range t.Runs(a.params.TermHashes(nil, tokens)) {
			add(&remain, from, r.From)
			add(&left, r.From, r.To)
			from = r.To
		}
	}
	add(&remain, from, len(tokens))
	return text, remain, left
}
