// Package html is a bleve char filter that turns HTML into its text, so that pages which
// differ only in markup have one signature. A fingerprinted field names it:
//
//	"custom": {"analyzers": {"page_signature": {"type": "neardup", "char_filters": ["neardup_html"]}}}
//
// It leaves out what the markup says is not the content of the page: menus, banners, footers,
// asides, lists of links, and what is hidden. So a text has one signature on two sites, and
// different texts of one site have different ones. Package analysis/signature/html says what
// that is, exactly, and what is text. A custom filter says what is to be left out:
//
//	"custom": {"char_filters": {"whole_page": {"type": "neardup_html", "leave_out": "nothing"}}}
//
//	"template":  what is hidden, and what is not the content (the default)
//	"hidden":    what is hidden alone: for mail, whose author decides on the markup and can
//	             call anything a menu
//	"nothing":   all text is kept, hidden or not
//
// What is left out is not part of the signature; it is indexed and shown as before.
//
// bleve's own filter,
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
type CharFilter struct {
	text    func(dst, src []byte) []byte
	counted func(dst, src []byte) ([]byte, html.Words)
}

// New returns a CharFilter without options: it leaves out what is hidden and what is not the
// content.
func New() *CharFilter { return &CharFilter{html.Content, html.ContentWords} }

// Filter returns the text of input, or input itself if it has no markup. It does not change
// input.
func (f *CharFilter) Filter(input []byte) []byte {
	if bytes.IndexByte(input, '<') < 0 && bytes.IndexByte(input, '&') < 0 {
		return input
	}
	return f.text(make([]byte, 0, len(input)), input)
}

// Words is Filter, and counts how many of the words are hidden, in the same pass.
func (f *CharFilter) Words(input []byte) ([]byte, html.Words) {
	return f.counted(make([]byte, 0, len(input)), input)
}

// The values of "leave_out".
const (
	leaveTemplate = "template"
	leaveHidden   = "hidden"
	leaveNothing  = "nothing"
)

// CharFilterConstructor makes a CharFilter from its configuration.
func CharFilterConstructor(values map[string]any, cache *registry.Cache) (analysis.CharFilter, error) {
	r := config.New(Name, values)
	f := New()
	switch r.Choice("leave_out", leaveTemplate, leaveTemplate, leaveHidden, leaveNothing) {
	case leaveHidden:
		f.text, f.counted = html.Visible, html.VisibleWords
	case leaveNothing:
		f.text, f.counted = html.Text, html.TextWords
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

func init() {
	if err := registry.RegisterCharFilter(Name, CharFilterConstructor); err != nil {
		panic(err)
	}
}
