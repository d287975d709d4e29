// Package html is a bleve char filter that turns HTML into its text, so that pages which
// differ only in markup have one signature. A fingerprinted field names it:
//
//	"custom": {"analyzers": {"page_signature": {"type": "neardup", "char_filters": ["neardup_html"]}}}
//
// Package analysis/signature/html says what is text and what is not. bleve's own filter,
// "html", puts spaces in the place of tags. It keeps offsets, but cuts
// "un<b>believ</b>able" in three, and leaves comments, scripts and character references in
// the text. This [CharFilter] shortens the text, so offsets of tokens count from the start
// of the shortened text. This does not matter for a fingerprinted field, whose terms are
// not highlighted; for a field that is highlighted, use bleve's filter.
package html

import (
	"bytes"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/internal/config"
	"github.com/neardup/bleve-neardup/analysis/signature/html"
)

// Name is the filter's name in a mapping.
const Name = "neardup_html"

// CharFilter is the char filter. It is safe for concurrent use.
type CharFilter struct{}

// New returns a CharFilter.
func New() *CharFilter { return &CharFilter{} }

// Filter returns the text of input, or input itself if it has no markup. It does not change
// input.
func (*CharFilter) Filter(input []byte) []byte {
	if bytes.IndexByte(input, '<') < 0 && bytes.IndexByte(input, '&') < 0 {
		return input
	}
	return html.Text(make([]byte, 0, len(input)), input)
}

// CharFilterConstructor makes a CharFilter; it has no options.
func CharFilterConstructor(values map[string]any, cache *registry.Cache) (analysis.CharFilter, error) {
	if err := config.New(Name, values).Err(); err != nil {
		return nil, err
	}
	return New(), nil
}

func init() {
	if err := registry.RegisterCharFilter(Name, CharFilterConstructor); err != nil {
		panic(err)
	}
}
