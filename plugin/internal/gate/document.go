package gate

import (
	"time"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/html"
	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
)

// signed reports whether d has text, in the fingerprinted field.
func (d *Document) signed() bool { return hasText(d.Signature) }

func hasText(s *signature.Signature) bool { return s != nil && s.Tokens > 0 }

// Document is what a Gate must know of a document that is about to be written.
type Document struct {
	ID        string
	Signature *signature.Signature // nil if it has no text in the fingerprinted field
	Whole     *signature.Signature // with the template that Signature leaves out, nil if there is none or no mark
	Rule      signature.Rule       // the rule of the fingerprinted field
	Scope     uint64               // column.ScopeOf its terms
	Unscoped  bool                 // it has no term in the field Policy.Scope
	Time      time.Time            // when it was sent; if zero, Judge sets the time of judging
	Document  index.Document
	Group     string // the name that it keeps, if it has one already

	// Values are column.ScopeOf the terms of the fields that the policy's floods need, by name.
	Values map[string]uint64

	// Repetition is what it repeats, if the policy asks for that.
	Repetition *repetition.Figures

	// Words is how many of its words HTML hides, likewise.
	Words *html.Words
}
