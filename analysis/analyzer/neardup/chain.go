package neardup

import (
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/char"
	"github.com/neardup/bleve-neardup/analysis/internal/component"
	"github.com/neardup/bleve-neardup/analysis/signature/html"
)

// chain is what a text passes before it is signed: the char filters of an analyzer, and its tokenizer and token filters if it has a tokenizer of bleve's.
type chain struct {
	chars    []analysis.CharFilter
	splitter analysis.Tokenizer // nil for the built-in tokenizer
	filters  []analysis.TokenFilter

	// tokenizer is the names of the tokenizer and of the token filters, joined by spaces. It is "" for the
	// built-in tokenizer, which is package token.
	tokenizer string
}

// readChain gets the components that a configuration names from the cache.
func readChain(r *component.Reader, cache *registry.Cache) (c chain) {
	for _, name := range r.Strings("char_filters") {
		f, err := cache.CharFilterNamed(name)
		if err != nil {
			r.Failf("char_filters", "wanted names of registered char filters, got %q: %v", name, err)
		}
		c.chars = append(c.chars, f)
	}
	tokenizer := r.String("tokenizer")
	filters := r.Strings("token_filters")
	if tokenizer == "" {
		if len(filters) > 0 {
			r.Failf("token_filters", "%q need a tokenizer: name one in \"tokenizer\"", filters)
		}
		return c
	}
	var err error
	if c.splitter, err = cache.TokenizerNamed(tokenizer); err != nil {
		r.Failf("tokenizer", "wanted the name of a registered tokenizer, got %q: %v", tokenizer, err)
	}
	for _, name := range filters {
		f, err := cache.TokenFilterNamed(name)
		if err != nil {
			r.Failf("token_filters", "wanted names of registered token filters, got %q: %v", name, err)
		}
		c.filters = append(c.filters, f)
	}
	c.tokenizer = strings.Join(append([]string{tokenizer}, filters...), " ")
	return c
}

// seesHidden reports whether c knows which words HTML hides: it has the char filter "neardup_html",
// which reads the tags.
func (c *chain) seesHidden() bool {
	return slices.ContainsFunc(c.chars, func(f analysis.CharFilter) bool {
		_, ok := f.(*char.HTMLFilter)
		return ok
	})
}

// text returns the text of a value after the char filters. If w is not nil, text adds to it the words that the first
// filter "neardup_html" reads: what comes to a second one is no HTML any more.
func (c *chain) text(value []byte, w *html.Words) []byte {
	for _, f := range c.chars {
		if page, ok := f.(*char.HTMLFilter); ok {
			value, w = page.Count(value, w), nil
		} else {
			value = f.Filter(value)
		}
	}
	return value
}

// tokens returns the tokens of a text, which text returned, if the tokenizer is not the built-in one. It
// takes a copy of the text, since filters can fold letters in place.
func (c *chain) tokens(text []byte) analysis.TokenStream {
	tokens := c.splitter.Tokenize(slices.Clone(text))
	for _, f := range c.filters {
		tokens = f.Filter(tokens)
	}
	return tokens
}
