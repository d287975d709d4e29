package neardup

import (
	"fmt"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/mapping"

	charhtml "github.com/neardup/bleve-neardup/analysis/char/html"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/html"
	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
)

// Figures says which figures of a document Analyzer.SignWith makes beside its signature.
type Figures struct {
	// Repetition asks for Signed.Counts.
	Repetition bool

	// Hidden asks for Signed.Words. An analyzer whose SeesHidden is false ignores it.
	Hidden bool
}

// Signed is what an Analyzer made of a document.
type Signed struct {
	Signature signature.Signature

	// Terms are those of the document's field in an index of type neardup.
	Terms analysis.TokenStream

	// Left is how many tokens were left out.
	Left uint64

	// Counts is what the whole document repeats, nil if that was not asked for.
	Counts *repetition.Counts

	// Words is how many of its words HTML hides, nil if that was not asked for.
	Words *html.Words

	// Passages are the selected fingerprints of the whole document, the zero Prints unless Params.Passages
	// is set.
	Passages winnow.Prints
}

// Stored returns the figures that are stored with a document: those that the configuration names.
func (a *Analyzer) Stored() Figures { return Figures{Repetition: a.counted, Hidden: a.hides} }

// SeesHidden reports whether a knows which words HTML hides: it has the char filter "neardup_html",
// which reads the tags.
func (a *Analyzer) SeesHidden() bool {
	for _, f := range a.chars {
		if _, ok := f.(*charhtml.CharFilter); ok {
			return true
		}
	}
	return false
}

// FieldSeesHidden returns an error if an analyzer by which m fingerprints the field does not know which words HTML
// hides, or if m does not fingerprint it.
func FieldSeesHidden(m mapping.IndexMapping, field string) error {
	if _, err := Of(m, field); err != nil {
		return err
	}
	var err error
	visit(m.(*mapping.IndexMappingImpl), func(name string, a *Analyzer) {
		if (name == field || name == "") && !a.SeesHidden() {
			err = fmt.Errorf("neardup: hidden: needs the char filter %q, or one of that type, in the analyzer of field %q, which has none", charhtml.Name, field)
		}
	})
	return err
}

// SignWith is SignWithout, and also makes the figures that f asks for, in the same pass.
func (a *Analyzer) SignWith(f Figures, t *template.Set, values ...[]byte) (Signed, error) {
	var c *repetition.Counter
	if f.Repetition {
		c = a.counters.Get().(*repetition.Counter)
		defer a.counters.Put(c)
	}
	var w *html.Words
	if f.Hidden && a.SeesHidden() {
		w = new(html.Words)
	}
	return a.sign(t, c, w, values)
}

// filterCounting is filter, and adds the words that the first filter of HTML reads to w.
func (a *Analyzer) filterCounting(w *html.Words, value []byte) []byte {
	done := false
	for _, f := range a.chars {
		page, ok := f.(*charhtml.CharFilter)
		if !ok || done {
			value = f.Filter(value)
			continue
		}
		var words html.Words
		value, words = page.Words(value)
		*w, done = w.Plus(words), true
	}
	return value
}
