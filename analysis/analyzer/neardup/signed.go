package neardup

import (
	"github.com/blevesearch/bleve/v2/analysis"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/html"
	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
)

// Figures says which figures of a document Analyzer.SignWith makes beside its signature.
type Figures struct {
	// Repetition asks for Signed.Repetition.
	Repetition bool

	// Hidden asks for Signed.Words. An analyzer without the char filter "neardup_html" ignores it.
	Hidden bool
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

	// Passages are the selected fingerprints of the whole document, the zero Prints unless Params.Passages
	// is set.
	Passages winnow.Prints
}

// Stored returns the figures that are stored with a document: those that the configuration names.
func (a *Analyzer) Stored() Figures { return a.stored }

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
	made.Terms, made.Signature = a.terms.finish(m, false, size)
	if c != nil {
		figures := c.Figures()
		made.Repetition = &figures
	}
	if made.Left > 0 && made.Signature.Tokens == 0 {
		whole, err := a.SignWith(Figures{}, nil, values...)
		whole.Repetition, whole.Words = made.Repetition, made.Words
		return whole, err
	}
	return made, nil
}
