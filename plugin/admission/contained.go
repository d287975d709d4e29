package admission

import (
	"cmp"
	"fmt"
)

// Contained says what happens to a document that stands in one of the index: an excerpt, a mail that another quotes, a
// copy with something around it. The analyzer of the field needs the option "passages", which says how many words in a row count, and
// SetPolicy returns an error if it has none.
//
// A document of fewer words stands in nothing. The share is exact where the texts of both are stored, and then
// Verdict.Verified is set; else it is an estimate.
type Contained struct {
	// Share is the share of the document's words, above 0 and at most 1, that stand in passages of a
	// single other, from which on Action is taken. 0 stands for 1: the other has it whole.
	Share float64 `json:"share,omitempty"`

	// Action is what happens to such a document, Tag if empty.
	Action Action `json:"action,omitempty"`

	// MaxShare is the guard against what many documents quote, 0 to 1: a fingerprint that more than this share of the
	// documents hold, and more than 500 documents, is not followed; nor is one that stands in a template of the document
	// alone (package plugin/templates). 0 stands for .01, and 1 for no guard. What comes earlier in a
	// batch is counted apart from the documents of the index, up to the same number.
	MaxShare float64 `json:"max_share,omitempty"`
}

// Least is Share, or its default.
func (c *Contained) Least() float64 { return cmp.Or(c.Share, 1) }

func (c *Contained) validate() error {
	switch {
	case !(c.Share >= 0 && c.Share <= 1):
		return fmt.Errorf("admission: contained: share: wanted a number above 0 and up to 1, or 0 for 1, got %v", c.Share)
	case !(c.MaxShare >= 0 && c.MaxShare <= 1):
		return fmt.Errorf("admission: contained: max_share: wanted 0 to 1, got %v", c.MaxShare)
	}
	return nil
}
