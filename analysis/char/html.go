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
type HTMLFilter struct{ without html.Reasons }

// Filter returns the text of input, or input itself if it has no markup. It does not change
// input.
func (f *HTMLFilter) Filter(input []byte) []byte { return f.Count(input, nil) }

// Count is Filter, and adds the words of input to w if w is not nil.
func (f *HTMLFilter) Count(input []byte, w *html.Words) []byte {
	if w == nil && !bytes.ContainsAny(input, "<&") {
		return input
	}
	return html.Text(make([]byte, 0, len(input)), input, f.without, w)
}

func newHTML(values map[string]any, _ *registry.Cache) (analysis.CharFilter, error) {
	r := component.New(HTML, values)
	f := &HTMLFilter{html.Hidden | html.Template}
	switch component.Choice(r, "leave_out", "template", "template", "hidden", "nothing") {
	case "hidden":
		f.without = html.Hidden
	case "nothing":
		f.without = 0
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return f, nil
}
