package char

import (
	"bytes"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/internal/component"
	"github.com/neardup/bleve-neardup/analysis/signature/html"
)

// HTML is the name, in a mapping, of the char filter that turns HTML into its text.
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
// bleve's own filter, "html", puts spaces in the place of tags. It keeps offsets, so use it for a field that is
// highlighted. But it cuts "un<b>believ</b>able" in three, and leaves comments, scripts and character references in
// the text.
const HTML = "neardup_html"

// HTMLFilter is the char filter of that name. It is safe for concurrent use.
type HTMLFilter struct {
	text    func(dst, src []byte) []byte
	counted func(dst, src []byte) ([]byte, html.Words)
}

// Filter returns the text of input, or input itself if it has no markup. It does not change
// input.
func (f *HTMLFilter) Filter(input []byte) []byte {
	if bytes.IndexByte(input, '<') < 0 && bytes.IndexByte(input, '&') < 0 {
		return input
	}
	return f.text(make([]byte, 0, len(input)), input)
}

// Words is Filter, and counts how many of the words are hidden, in the same pass.
func (f *HTMLFilter) Words(input []byte) ([]byte, html.Words) {
	return f.counted(make([]byte, 0, len(input)), input)
}

func newHTML(values map[string]any, _ *registry.Cache) (analysis.CharFilter, error) {
	r := component.New(HTML, values)
	f := &HTMLFilter{html.Content, html.ContentWords}
	switch r.Choice("leave_out", "template", "template", "hidden", "nothing") {
	case "hidden":
		f.text, f.counted = html.Visible, html.VisibleWords
	case "nothing":
		f.text, f.counted = html.Text, html.TextWords
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return f, nil
}
