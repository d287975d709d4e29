// Package html turns HTML into the text that a reader sees, so that pages which differ only
// in markup have one signature. It has one function, [Text].
//
// # Algorithm
//
// Text makes one pass over the bytes, by the rules of the tokenizer of the HTML standard
// (WHATWG, section 13.2.5), without building a tree. It looks at nothing twice, so its time
// is linear in the input, whatever the input is. It treats malformed markup as a browser
// does: "a < b" is text, "a <b" opens a tag, and text inside an unclosed comment, tag or
// script is lost. The text is never longer than the input.
//
//   - Tags, comments and the doctype are dropped. Tags of inline elements leave nothing, so
//     that "un<b>believ</b>able" is one word. Tags of other elements (blocks, cells, list
//     items, br, form controls, images: the elements that section 15.3 does not display
//     inline) leave a line feed. Unknown elements are inline, as in a browser.
//   - These are dropped with their content: script, style, template, and elements that a
//     browser which runs scripts does not show: noscript, noframes, noembed, iframe.
//   - The content of title and textarea is text with character references. The content of
//     xmp, plaintext and CDATA sections is text as it stands.
//   - Character references are decoded: named ones, without the semicolon where the
//     standard allows that, and numeric ones.
//   - Attributes are not text, not even alt, title and content. The attribute "hidden" and
//     style sheets are ignored.
//
// It differs from a browser in three ways. A script, style or title that closes itself
// ("<style/>") is empty, as in XHTML and SVG, where HTML would continue to an end tag. A
// CDATA section is text everywhere, not only in SVG and MathML. U+0000 is kept; it
// separates tokens.
//
// The input is UTF-8; a charset in a meta element is ignored.
package html

import "bytes"

// Text appends the text of the HTML in src to dst and returns it. It allocates nothing if
// dst has room for len(src) bytes and the references are common ones. dst and src must not
// overlap.
func Text(dst, src []byte) []byte {
	r := reader{src: src, dst: dst}
	for i := 0; i < len(src); {
		n := bytes.IndexByte(src[i:], '<')
		if n < 0 {
			n = len(src) - i
		}
		r.text(src[i : i+n])
		i += n
		if i < len(src) {
			i = r.markup(i)
		}
	}
	return r.dst
}

// reader is one document on its way from src to dst.
type reader struct {
	src, dst  []byte
	templates int // open templates: nothing in them is written
}

// verbatim writes text in which "&" starts no reference.
func (r *reader) verbatim(p []byte) {
	if r.templates == 0 {
		r.dst = append(r.dst, p...)
	}
}

// text writes text with references.
func (r *reader) text(p []byte) {
	if r.templates > 0 {
		return
	}
	for {
		n := bytes.IndexByte(p, '&')
		if n < 0 {
			r.dst = append(r.dst, p...)
			return
		}
		r.dst = append(r.dst, p[:n]...)
		p = p[n:]
		r.dst, n = appendReference(r.dst, p)
		p = p[n:]
	}
}

// separate writes a line feed for a tag that ends a word.
func (r *reader) separate() {
	if n := len(r.dst); n > 0 && r.dst[n-1] != '\n' && r.templates == 0 {
		r.dst = append(r.dst, '\n')
	}
}

// markup handles the markup that begins with the "<" at i (tag open state, 13.2.5.6), and
// returns where it ends.
func (r *reader) markup(i int) int {
	rest := r.src[i:]
	switch {
	case len(rest) > 1 && letter(rest[1]):
		return r.startTag(i + 1)
	case len(rest) > 2 && rest[1] == '/' && letter(rest[2]):
		return r.endTag(i + 2)
	case bytes.HasPrefix(rest, []byte("<!--")):
		return i + comment(rest)
	case bytes.HasPrefix(rest, []byte(cdata)):
		return r.section(i + len(cdata))
	case len(rest) > 1 && (rest[1] == '!' || rest[1] == '?'), len(rest) > 2 && rest[1] == '/':
		return i + through(rest, '>') // a doctype, or a "bogus comment"
	}
	r.verbatim(rest[:1])
	return i + 1
}

// startTag handles a start tag, whose name is at i, and the content of elements whose
// content is not markup. It returns where they end.
func (r *reader) startTag(i int) int {
	e, name := element(r.src, i)
	i, closed := attributes(r.src, i+len(name))
	if i < 0 { // a tag without an end is dropped (eof-in-tag)
		return len(r.src)
	}
	if e&boundary != 0 {
		r.separate()
	}
	if closed || e&(opaque|inert) == 0 {
		return i
	}
	if e&inert != 0 {
		r.templates++
		return i
	}
	end := len(r.src)
	switch {
	case e&endless != 0:
	case e&script != 0:
		end = i + scriptEnd(r.src[i:])
	default:
		end = i + rawEnd(r.src[i:], name)
	}
	switch content := r.src[i:end]; {
	case e&references != 0:
		r.text(content)
	case e&shown != 0:
		r.verbatim(content)
	}
	return end
}

// endTag handles an end tag, whose name is at i, and returns where it ends.
func (r *reader) endTag(i int) int {
	e, name := element(r.src, i)
	i, _ = attributes(r.src, i+len(name))
	if i < 0 {
		return len(r.src)
	}
	if e&inert != 0 && r.templates > 0 {
		r.templates--
	}
	if e&boundary != 0 {
		r.separate()
	}
	return i
}

const cdata = "<![CDATA["

// section writes a CDATA section, given the position i after its opening mark, and returns
// where it ends.
func (r *reader) section(i int) int {
	n := bytes.Index(r.src[i:], []byte("]]>"))
	if n < 0 {
		r.verbatim(r.src[i:])
		return len(r.src)
	}
	r.verbatim(r.src[i : i+n])
	return i + n + len("]]>")
}

// comment returns the length of the comment at the start of p. A comment ends with "-->",
// which can share its dashes with "<!--", or with "--!>", which cannot (13.2.5.43 to 51).
func comment(p []byte) int {
	const open = len("<!--")
	for i := open; ; {
		n := bytes.IndexByte(p[i:], '>')
		if n < 0 {
			return len(p)
		}
		i += n + 1
		if bytes.HasSuffix(p[open-2:i], []byte("-->")) || bytes.HasSuffix(p[open:i], []byte("--!>")) {
			return i
		}
	}
}
