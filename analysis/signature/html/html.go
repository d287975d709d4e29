// Package html turns HTML into the text that a reader sees, for signing: so that
// pages which differ in markup alone have one signature.
//
// # Algorithm
//
// One pass over the bytes, by the rules of the tokenizer of the HTML standard
// (WHATWG, section 13.2.5), without building a tree. Nothing is looked at twice,
// so the time is linear in the input, whatever that is; malformed markup is taken
// as a browser takes it: "a < b" is text, "a <b" opens a tag, and what an unclosed
// comment, tag or script swallows is gone. The text is never longer than the input.
//
//   - Tags, comments and the doctype are dropped. Those of inline elements leave
//     nothing behind, so that "un<b>believ</b>able" is one word; those of the
//     others (blocks, cells, list items, br, form controls, images: the elements
//     that section 15.3 does not display inline) leave a line feed. Elements that
//     are not known are inline, as in a browser.
//   - Dropped with their content: script, style, template, and what a browser
//     that runs scripts does not show: noscript, noframes, noembed, iframe.
//   - The content of title and textarea is text with character references, that
//     of xmp, plaintext and CDATA sections is text as it stands.
//   - Character references are decoded: named ones, also without semicolon where
//     the standard has them so, and numeric ones.
//   - Attributes are not text, not even alt, title and content; "hidden" and style
//     sheets are not heeded.
//
// It differs from a browser in three ways. A script, style or title that closes
// itself ("<style/>") is empty, as in XHTML and SVG, where HTML would go on to an
// end tag. A CDATA section is text everywhere, not only in SVG and MathML. U+0000
// is kept; it separates tokens.
//
// The input is UTF-8; a charset in a meta element is not heeded.
package html

import "bytes"

// Text appends the text of the HTML in src to dst and returns it. It allocates
// nothing if dst has room for len(src) bytes and the references are common ones.
// dst and src must not overlap.
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
	templates int // that are open: nothing is written in them
}

// verbatim writes text that has no references.
func (r *reader) verbatim(p []byte) {
	if r.templates == 0 {
		r.dst = append(r.dst, p...)
	}
}

// text writes text that may have references.
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

// separate writes the trace of a tag that no word goes across.
func (r *reader) separate() {
	if n := len(r.dst); n > 0 && r.dst[n-1] != '\n' && r.templates == 0 {
		r.dst = append(r.dst, '\n')
	}
}

// markup takes what begins with the "<" at i (tag open state, 13.2.5.6) and
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

// startTag takes a start tag from its name at i on, with the content of elements
// whose content is no markup, and returns where it ends.
func (r *reader) startTag(i int) int {
	e, name := element(r.src, i)
	i, closed := attributes(r.src, i+len(name))
	if i < 0 { // a tag that does not end is dropped (eof-in-tag)
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

// endTag takes an end tag from its name at i on.
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

// section takes a CDATA section from behind its mark at i.
func (r *reader) section(i int) int {
	n := bytes.Index(r.src[i:], []byte("]]>"))
	if n < 0 {
		r.verbatim(r.src[i:])
		return len(r.src)
	}
	r.verbatim(r.src[i : i+n])
	return i + n + len("]]>")
}

// comment returns the length of the comment at the start of p. It ends with "-->",
// whose dashes may be those of "<!--", or with "--!>", whose dashes may not
// (13.2.5.43 to 51).
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
