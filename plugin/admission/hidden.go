package admission

import "fmt"

// Hidden says how much text that nobody sees is too much: text in elements that are hidden, or in the
// colour of their background, in template and in noscript. Menus and footers are not hidden. See
// html.Words of package analysis/signature/html. The analyzer of the field needs the char filter
// "neardup_html", and SetPolicy returns an error if it has none.
type Hidden struct {
	// Share is the share of hidden words among all words of a document, above 0 and at most 1, from
	// which on Action is taken.
	Share float64 `json:"share"`

	// MinWords is the number of hidden words below which nothing is done: pages hide a few words
	// for screen readers. 20 if zero.
	MinWords int `json:"min_words,omitempty"`

	// Action is what happens to such a document, Tag if empty.
	Action Action `json:"action,omitempty"`
}

func (h *Hidden) validate() error {
	switch {
	case !(h.Share > 0 && h.Share <= 1):
		return fmt.Errorf("admission: hidden: share: wanted a number above 0 and up to 1, got %v", h.Share)
	case h.MinWords < 0:
		return fmt.Errorf("admission: hidden: min_words: wanted 0 or more, got %d", h.MinWords)
	}
	return nil
}
