// Package html turns HTML into text, so that pages which differ only in markup, or in what
// stands around their content, have one signature. [Text] returns the text of a page: all of it, or without what is
// [Hidden], or without what is, by its markup, a [Template]: a menu, a banner or another part of the site.
//
// # Text
//
// The tokenizer of golang.org/x/net/html reads the page, by the rules of the HTML standard
// (WHATWG, section 13.2.5). No tree is built. The time is linear in the input, whatever the
// input is, and the memory a small multiple of it.
//
//   - Tags, comments and the doctype are dropped. Tags of inline elements leave nothing, so
//     that "un<b>believ</b>able" is one word. Tags of other elements (blocks, cells, list
//     items, br, form controls, images: the elements that section 15.3 does not display
//     inline) leave a line feed. Unknown elements are inline, as in a browser.
//   - These are dropped with their content: script, style, template, and elements that a
//     browser which runs scripts does not show: noscript, noframes, noembed, iframe.
//   - The content of title and textarea is text with character references. The content of
//     xmp, plaintext and CDATA sections is text as it stands.
//   - Attributes are not text, not even alt, title and content. Style sheets are ignored.
//
// It differs from a browser in three ways. A script, style or title that closes itself
// ("<style/>") is empty, as in XHTML and SVG, where HTML would continue to an end tag. A
// CDATA section is text everywhere, not only in SVG and MathML. U+0000 is kept or
// becomes U+FFFD; both separate tokens.
//
// The input is UTF-8; a charset in a meta element is ignored.
//
// # What is left out
//
// [Hidden] are elements with the attribute "hidden" (but not hidden="until-found"), and
// elements that their attribute "style" hides: see the function hides.
//
// [Template] are:
//
//   - nav, footer, aside and search; header, unless it stands in article or main.
//   - Elements whose first role is navigation, banner, contentinfo, complementary, menu,
//     menubar, toolbar or search. The roles article and main count as these elements.
//   - Blocks that consist of links, where two or more links follow each other without a word
//     between them. A block is what stands between two tags of blocks. A heading is never
//     left out, nor is a link that goes on over the end of a block: it might not have been
//     closed.
//
// An element is left out whole, whatever is in it. If fewer than 20 words would remain, all
// text is kept: then what was marked is what the page has.
//
// Where an element ends is decided by a stack of the open blocks, with the end tags that
// the standard lets authors leave out (13.1.2.4) for p, li, dt, dd and the parts of tables.
// An end tag that opens nothing is dropped, and one closes what was left open in its
// element: a nav without an end tag ends with the element around it. The stack holds 512
// elements, as in browsers; deeper ones are counted, and their names are not compared.
//
// All text is written first, with the places of what might be left out, and cut at the end.
package html

import (
	"bytes"
	"cmp"
	"slices"

	"golang.org/x/net/html"
)

// Reasons are what text is left out for. The zero Reasons keep all text.
type Reasons uint8

const (
	Hidden   Reasons = 1 << iota // nobody sees it
	Template                     // the markup says that it is not the content of the page
	never                        // it is no text, but a template or a noscript
)

// least is the number of words below which nothing is left out.
const least = 20

// Text appends the text of the HTML in src to dst, without what is left out for one of these reasons, and returns it.
// If w is not nil, Text adds to it the words of the whole page. dst and src must not overlap.
func Text(dst, src []byte, what Reasons, w *Words) []byte {
	r := reader{dst: dst, from: len(dst), page: page{what: what}}
	r.begin(len(dst))
	r.read(src)
	r.finish()
	slices.SortStableFunc(r.spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	if w != nil {
		w.add(r.dst, r.from, r.spans)
	}
	if !enough(r.dst, r.from, r.spans, what|never) {
		what = 0
	}
	return cut(r.dst, r.from, r.spans, what|never)
}

// reader is one document on its way to dst.
type reader struct {
	page
	dst  []byte
	from int // where the document begins in dst

	templates int    // open templates
	raw       string // the element whose content comes next and is dropped
	noscript  bool   // the document is the content of a noscript
}

// read writes all text of src.
func (r *reader) read(src []byte) {
	z := html.NewTokenizer(bytes.NewReader(src))
	z.AllowCDATA(true)
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken: // the end
			return
		case html.TextToken:
			r.text(z)
		case html.StartTagToken, html.SelfClosingTagToken:
			r.raw = ""
			r.startTag(z, kind == html.SelfClosingTagToken)
		case html.EndTagToken:
			r.raw = ""
			name, _ := z.TagName()
			r.endTag(tagOf(name))
		}
	}
}

const cdata = "<![CDATA["

// text writes a piece of text.
func (r *reader) text(z *html.Tokenizer) {
	switch {
	case r.raw == "noscript" && !r.noscript:
		inner := reader{dst: r.dst, noscript: true}
		begin := len(r.dst)
		inner.read(z.Raw())
		r.dst = inner.dst
		r.add(span{from: begin, to: len(r.dst), why: never})
	case r.raw != "":
	case bytes.HasPrefix(z.Raw(), []byte(cdata)): // of which Text would decode references
		r.write(bytes.TrimSuffix(z.Raw()[len(cdata):], []byte("]]>")))
	default:
		r.write(z.Text())
	}
}

func (r *reader) write(text []byte) {
	r.dst = append(r.dst, text...)
	r.wrote(text)
}

// separate writes a line feed for a tag that ends a word.
func (r *reader) separate() {
	if n := len(r.dst); n > 0 && (r.dst[n-1] != '\n' || r.cutAt == n) {
		r.dst = append(r.dst, '\n')
	}
}

func (r *reader) startTag(z *html.Tokenizer, closed bool) {
	name, attributes := z.TagName()
	e := tagOf(name)
	if closed || r.noscript && e.name == "noscript" {
		z.NextIsNotRawText()
	} else if e.traits&dropped != 0 {
		r.raw = e.name
	}
	var f facts
	for attributes {
		var key, value []byte
		key, value, attributes = z.TagAttr()
		f.add(key, value)
	}
	switch {
	case e.name == "template" && !closed:
		if r.templates++; r.templates == 1 {
			r.inert = r.open(never, len(r.dst))
			r.separate() // words in it from words around it, which might not be seen either
		}
	case r.templates > 0:
		if e.traits&boundary != 0 {
			r.separate()
		}
	case e.traits&block != 0:
		r.endBlock(len(r.dst))
		r.startBlock(e.kind, len(r.dst))
		r.separate()
		if !closed {
			r.openBlock(e.kind, f, len(r.dst))
		}
	default:
		if e.traits&boundary != 0 {
			r.separate()
		}
		if !closed && !void[e.name] {
			r.openInline(e.name, f, len(r.dst))
		}
	}
}

func (r *reader) endTag(e tag) {
	switch {
	case e.name == "template" && r.templates > 0:
		if r.templates--; r.templates == 0 {
			r.close(r.inert, len(r.dst))
		}
	case r.templates > 0:
	case e.traits&block != 0:
		r.endBlock(len(r.dst))
		r.endElement(e.kind, len(r.dst))
	default:
		r.endInline(e.name, len(r.dst))
	}
	if e.traits&boundary != 0 {
		r.separate()
	}
}

// finish ends the document.
func (r *reader) finish() {
	n := len(r.dst)
	r.closeTo(0, n)
	if r.templates > 0 {
		r.close(r.inert, n)
	}
	r.endBlock(n)
	r.endRun(n)
}

// kept calls each for the pieces of dst that remain without the spans of which one of the reasons is given, the last
// perhaps empty. apart says that a line ends before it: what is before a block and what is after it are not one word.
func kept(dst []byte, from int, spans []span, what Reasons, each func(piece []byte, apart bool)) {
	next, apart := from, false
	for _, s := range spans {
		if s.why&what == 0 || s.to <= next {
			continue
		}
		if s.from > next {
			each(dst[next:s.from], apart)
			apart = false
		}
		next, apart = s.to, apart || s.apart
	}
	each(dst[next:], apart)
}

// cut returns what remains of dst, in its place.
func cut(dst []byte, from int, spans []span, what Reasons) []byte {
	to := from
	kept(dst, from, spans, what, func(piece []byte, apart bool) {
		if apart && to > from && dst[to-1] != '\n' {
			dst[to] = '\n'
			to++
		}
		to += copy(dst[to:], piece)
	})
	return dst[:to]
}

// enough reports whether at least least words remain of dst.
func enough(dst []byte, from int, spans []span, what Reasons) bool {
	var w wordCount
	kept(dst, from, spans, what, func(piece []byte, apart bool) {
		w.open = w.open && !apart
		w.count(piece)
	})
	return w.n >= least
}
