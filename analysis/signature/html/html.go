// Package html turns HTML into text, so that pages which differ only in markup, or in what
// stands around their content, have one signature. [Text] returns all text of a page,
// [Visible] what is not hidden, and [Content] what is neither hidden nor, by its markup, a
// menu, a banner or another part of the site.
//
// # Algorithm
//
// Each of them makes one pass over the bytes, by the rules of the tokenizer of the HTML standard
// (WHATWG, section 13.2.5), without building a tree. It looks at nothing more than twice, so its
// time is linear in the input, whatever the input is. It treats malformed markup as a browser
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
//   - Attributes are not text, not even alt, title and content. Style sheets are ignored.
//
// It differs from a browser in three ways. A script, style or title that closes itself
// ("<style/>") is empty, as in XHTML and SVG, where HTML would continue to an end tag. A
// CDATA section is text everywhere, not only in SVG and MathML. U+0000 is kept; it
// separates tokens.
//
// The input is UTF-8; a charset in a meta element is ignored.
//
// [TextWords], [VisibleWords] and [ContentWords] do the same, and count how many of the words of the page
// nobody sees.
//
// # What is left out
//
// Visible leaves out elements with the attribute "hidden" (but not hidden="until-found"),
// elements whose attribute "style" says display:none or visibility:hidden, and elements
// whose style gives the text the colour of its background. Colours are compared if they are
// written in hexadecimal, as rgb() of three numbers, or by one of the 16 names of CSS 1.
// References and escapes in a style are not resolved.
//
// Content leaves out, besides:
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
// text is kept: then what was marked is what the page has. Words are runs of letters and
// digits; of scripts written without spaces, a letter is a word.
//
// Where an element ends is decided by a stack of the open blocks, with the end tags that
// the standard lets authors leave out (13.1.2.4) for p, li, dt, dd and the parts of tables.
// An end tag that opens nothing is dropped, and one closes what was left open in its
// element: a nav without an end tag ends with the element around it. The stack holds 512
// elements, as in browsers; deeper ones are counted, and their names are not compared.
//
// Once 20 words remain, what is left out is not written. Blocks before that, and blocks of links, are
// written, kept as pairs of places in the text, 16 bytes an element, and cut at the end. Inline
// elements are never written. If fewer words remain in the end, and something was not written, the page
// is read again. So the time is linear in the input, and the memory no more than a small multiple of it.
package html

import "bytes"

// Text appends the text of the HTML in src to dst and returns it. It allocates nothing if
// dst has room for len(src) bytes and the references are common ones. dst and src must not
// overlap.
func Text(dst, src []byte) []byte {
	r := reader{src: src, dst: dst}
	r.read()
	return r.dst
}

// Visible is Text without what is hidden.
func Visible(dst, src []byte) []byte { return without(dst, src, hidden, nil) }

// Content is Text without what is hidden, and without what the markup says is not the
// content of the page.
func Content(dst, src []byte) []byte { return without(dst, src, hidden|template, nil) }

// without returns the text without what is left out for the reasons given, and counts words if t is not
// nil.
func without(dst, src []byte, what reasons, t *tally) []byte {
	r := reader{src: src, dst: dst, leaves: true, tally: t}
	p := &r.page
	p.without, p.from, p.counted, p.block, p.runStart = what, len(dst), len(dst), len(dst), len(dst)
	r.read()
	p.finish(len(r.dst))
	switch {
	case !p.skipped && len(p.left) == 0:
		return r.dst
	case p.enough(r.dst):
		return p.cut(r.dst)
	case p.skipped:
		return Text(dst, src)
	}
	return r.dst
}

// reader is one document on its way from src to dst.
type reader struct {
	src, dst  []byte
	templates int  // open templates: nothing in them is written
	leaves    bool // something is left out, or words are counted: page is in use
	noscript  bool // src is the content of a noscript
	tally     *tally
	page      page
}

// read writes all of src.
func (r *reader) read() {
	src := r.src
	for i := 0; i < len(src); {
		// Most text between tags is short: a line feed, a word. To search it takes longer than to
		// look at it.
		near := src[i:min(i+16, len(src))]
		n, seen := 0, uint8(0)
		for n < len(near) && inText[near[n]] != marks {
			seen |= inText[near[n]]
			n++
		}
		switch {
		case n == len(near) || near[n] == '&':
			if n = bytes.IndexByte(src[i:], '<'); n < 0 {
				n = len(src) - i
			}
			r.text(src[i:i+n], seen|foreign)
		case n > 0 && !r.silent():
			r.dst = append(r.dst, near[:n]...)
			r.wrote(n, seen)
		case n > 0 && r.tally != nil:
			r.unwritten(near[:n], false)
		}
		if i += n; i < len(src) {
			i = r.markup(i)
		}
	}
}

// silent reports whether nothing is written.
func (r *reader) silent() bool { return r.templates > 0 || r.page.mute }

// wrote tells the page of the n bytes that were written last, if they have a word. seen is what
// inText says of them, with foreign if it does not say it of all.
func (r *reader) wrote(n int, seen uint8) {
	if seen&wordly != 0 || seen&foreign != 0 && r.leaves && !r.page.found() && hasWord(r.dst[len(r.dst)-n:]) {
		r.page.find()
	}
	if r.tally != nil {
		r.tally.add(r.dst[len(r.dst)-n:], r.hides())
	}
}

// verbatim writes text in which "&" starts no reference.
func (r *reader) verbatim(p []byte) {
	switch {
	case !r.silent():
		r.dst = append(r.dst, p...)
		r.wrote(len(p), foreign)
	case r.tally != nil:
		r.unwritten(p, false)
	}
}

// text writes text with references. seen is as in wrote.
func (r *reader) text(p []byte, seen uint8) {
	switch {
	case !r.silent():
		before := len(r.dst)
		r.dst = appendText(r.dst, p)
		r.wrote(len(r.dst)-before, seen)
	case r.tally != nil:
		r.unwritten(p, true)
	}
}

// appendText appends p, with its references decoded.
func appendText(dst, p []byte) []byte {
	for {
		n := bytes.IndexByte(p, '&')
		if n < 0 {
			return append(dst, p...)
		}
		dst = append(dst, p[:n]...)
		p = p[n:]
		dst, n = appendReference(dst, p)
		p = p[n:]
	}
}

// separate writes a line feed for a tag that ends a word.
func (r *reader) separate() {
	if n := len(r.dst); n > 0 && r.dst[n-1] != '\n' && !r.silent() {
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
	p := &r.page
	inPage := r.leaves && r.templates == 0
	var noted *facts
	if inPage {
		// What a block says counts even while one is being left out, which it might end.
		if p.facts = 0; !p.leaving || e&block != 0 || r.tally != nil {
			noted = &p.facts
		}
	}
	i, closed := attributes(r.src, i+len(name), noted)
	if i < 0 { // a tag without an end is dropped (eof-in-tag)
		return len(r.src)
	}
	if r.tally != nil && e&boundary != 0 {
		r.tally.boundary()
	}
	switch {
	case inPage && e&block != 0:
		r.block(e.kind(), closed)
	case e&link != 0 && p.facts == hasHref && inPage && !p.leaving && !p.hiding.open && !closed:
		p.openLink()
	case inPage && (e&link != 0 && !p.leaving || p.name != nil || p.hiding.open || p.facts&(isHidden|isPart) != 0):
		if e&boundary != 0 {
			r.separate()
		}
		if !closed {
			r.inline(e&link != 0, name)
		}
	case e&boundary != 0:
		r.separate()
	}
	if closed || e&(opaque|inert) == 0 || e&unscripted != 0 && r.noscript {
		return i
	}
	if e&inert != 0 {
		if r.templates++; r.tally != nil && !r.page.hiding.open && r.templates == 1 {
			r.tally.hidden.open = false
		}
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
		r.text(content, foreign)
	case e&shown != 0:
		r.verbatim(content)
	case e&unscripted != 0 && r.tally != nil:
		r.scriptless(content)
	}
	return end
}

// inline tells the page of the start tag of what does not stand on the stack.
func (r *reader) inline(link bool, name []byte) {
	p := &r.page
	switch {
	case p.hiding.open:
		if p.hiding.name != nil && bytes.EqualFold(name, p.hiding.name) {
			p.hiding.nested++
		}
	case r.tally != nil && p.facts&isHidden != 0 && !void(name):
		r.hide(name)
	}
	p.openInline(link, name, r.dst)
}

// block tells the page of the start tag of a block, and writes its separator.
func (r *reader) block(k kind, closed bool) {
	p := &r.page
	n := len(r.dst)
	p.endBlock(n)
	if p.simple(k) {
		r.separate()
		if !closed {
			p.push(k)
		}
		return
	}
	p.start(k)
	r.separate()
	if !closed {
		if p.open(k, r.dst) && r.tally != nil && p.facts&isHidden != 0 && !p.hiding.open {
			r.hide(nil)
		}
	}
}

// endTag handles an end tag, whose name is at i, and returns where it ends.
func (r *reader) endTag(i int) int {
	e, name := element(r.src, i)
	i, _ = attributes(r.src, i+len(name), nil)
	if i < 0 {
		return len(r.src)
	}
	if r.tally != nil && e&boundary != 0 {
		r.tally.boundary()
	}
	if e&inert != 0 && r.templates > 0 {
		r.templates--
	}
	if p := &r.page; r.leaves && r.templates == 0 {
		switch {
		case e&block != 0:
			p.endBlock(len(r.dst))
			if !p.pop(e.kind()) {
				p.end(e.kind())
			}
		case p.leaving:
			p.endInline(name)
		case e&link != 0:
			p.endLink()
		}
		if e&block == 0 && p.hiding.open {
			p.endHiding(name)
		}
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
