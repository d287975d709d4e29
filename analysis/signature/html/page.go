package html

import (
	"bytes"
	"slices"
)

// deepest is the number of open elements that are known by name.
const deepest = 512

// span is a range of places in dst that might be left out.
type span struct {
	from, to int
	why      Reasons
	apart    bool // it is not part of a line: a block, or some
}

// element is an open element: a block, or an inline element of which something is known.
type element struct {
	name   string // kind of a block
	block  bool
	main   bool // it is article or main, perhaps by its role
	leaves bool // it is left out
	span   int  // its place in spans, or -1
	nested int  // of an inline element: open elements of its name in it
	paint  paint
}

// page is what is known of a page while it is read: the open elements, what might be left out, and the links of the
// block that is open.
type page struct {
	what    Reasons
	stack   []element
	deeper  int // open blocks beyond
	mains   int // open elements that are article or main
	inlines int // open inline elements
	leaving int // open elements that are left out

	spans []span
	cutAt int // where the last span ended in dst
	inert int // the span of the open template

	// The block that is open: it began at block, and so did the blocks before it that
	// consist of links, at runStart. Of links those with words count.
	block    int
	words    bool // it has words outside links
	inLink   bool
	linkText bool // the open link has words
	links    int
	runLinks int
	runStart int
}

// begin begins a page at the place n.
func (p *page) begin(n int) { p.block, p.runStart, p.cutAt = n, n, -1 }

// wrote takes text that was written.
func (p *page) wrote(text []byte) {
	switch {
	case p.leaving > 0 || p.inLink && p.linkText || !p.inLink && p.words || !bytes.ContainsFunc(text, isWord):
	case p.inLink:
		p.linkText = true
	default:
		p.words = true
	}
}

// add adds a span that has ended.
func (p *page) add(s span) {
	p.spans = append(p.spans, s)
	p.cutAt = s.to
}

// open begins a span at the place n, and returns its place in spans.
func (p *page) open(why Reasons, n int) int {
	p.spans = append(p.spans, span{from: n, why: why})
	return len(p.spans) - 1
}

// close ends a span. One without text is forgotten if it was the last to begin.
func (p *page) close(i, n int) {
	if p.spans[i].to, p.cutAt = n, n; p.spans[i].from == n && i == len(p.spans)-1 {
		p.spans = p.spans[:i]
	}
}

// push puts an element on the stack, whose text begins at the place n, and begins to leave it out if there is
// reason to.
func (p *page) push(e element, f facts, n int) {
	e.span, e.paint = -1, f.paint.over(p.painted())
	var why Reasons
	if f.hidden || f.paint != (paint{}) && e.paint.invisible() {
		why = Hidden
	}
	if f.role == isPart || e.block && (e.name == "nav" || e.name == "footer" || e.name == "aside" || e.name == "search" || e.name == "header" && p.mains == 0) {
		why |= Template
	}
	if e.main {
		p.mains++
	}
	if !e.block {
		p.inlines++
	}
	if why != 0 {
		e.span = p.open(why, n)
		p.spans[e.span].apart = e.block
		if e.leaves = why&p.what != 0; e.leaves {
			p.leaving++
		}
	}
	p.stack = append(p.stack, e)
}

// painted are the colours in the innermost open element.
func (p *page) painted() paint {
	if len(p.stack) == 0 {
		return paint{}
	}
	return p.stack[len(p.stack)-1].paint
}

// pop takes element i off the stack, whose text ends at the place n.
func (p *page) pop(i, n int) {
	e := p.stack[i]
	p.stack = slices.Delete(p.stack, i, i+1)
	if e.main {
		p.mains--
	}
	if !e.block {
		p.inlines--
	}
	if e.leaves {
		p.leaving--
	}
	if e.span >= 0 {
		p.close(e.span, n)
	}
}

// closeTo closes elements until depth are open.
func (p *page) closeTo(depth, n int) {
	for len(p.stack) > depth {
		p.pop(len(p.stack)-1, n)
	}
}

// top is the place of the innermost open block, and its kind: -1 if there is none.
func (p *page) top() (i int, kind string) {
	for i = len(p.stack) - 1; i >= 0; i-- {
		if p.stack[i].block {
			return i, p.stack[i].name
		}
	}
	return -1, ""
}

// inTable reports whether an element belongs in a table, and closes no p.
func inTable(kind string) bool {
	return kind == "td" || kind == "tr" || kind == "tbody" || kind == "caption"
}

// startBlock closes what the start tag of a block closes.
func (p *page) startBlock(k string, n int) {
	if p.deeper > 0 {
		return
	}
	if i, top := p.top(); top == "p" && !inTable(k) {
		p.closeTo(i, n)
	}
	switch k {
	case "heading":
		if i, top := p.top(); top == "heading" {
			p.closeTo(i, n)
		}
	case "li":
		p.closeItem(n, "li")
	case "dt", "dd":
		p.closeItem(n, "dt", "dd")
	case "td":
		p.closeAbove(n, "tr", "tbody", "table")
	case "tr":
		p.closeAbove(n, "tbody", "table")
	case "tbody", "caption":
		p.closeAbove(n, "table")
	}
}

// closeAbove closes the elements in the innermost open block of these kinds.
func (p *page) closeAbove(n int, kinds ...string) {
	for i, e := range slices.Backward(p.stack) {
		if e.block && slices.Contains(kinds, e.name) {
			p.closeTo(i+1, n)
			return
		}
	}
}

// closeItem closes the list item, of one of these kinds, that is open in the innermost list.
func (p *page) closeItem(n int, kinds ...string) {
	for i, e := range slices.Backward(p.stack) {
		switch {
		case !e.block, e.name == "address", e.name == "div", e.name == "p":
		case slices.Contains(kinds, e.name):
			p.closeTo(i, n)
			return
		default:
			return
		}
	}
}

// openBlock opens a block, when its separator is written.
func (p *page) openBlock(k string, f facts, n int) {
	_, top := p.top()
	switch {
	case len(p.stack) == deepest:
		p.deeper++
		return
	case k == "td" && top != "tr" && top != "tbody" && top != "table",
		k == "tr" && top != "tbody" && top != "table",
		(k == "tbody" || k == "caption") && top != "table":
		return // it stands where no such element can
	}
	p.push(element{name: k, block: true, main: k == "article" || k == "main" || f.role == isMain}, f, n)
}

// endElement takes the end tag of a block.
func (p *page) endElement(k string, n int) {
	if p.deeper > 0 {
		p.deeper--
		return
	}
	for i, e := range slices.Backward(p.stack) {
		switch {
		case !e.block:
		case e.name == k:
			p.closeTo(i, n)
			return
		case bars(e.name, k):
			return
		}
	}
}

// bars reports whether the end tag of k closes nothing around an open b (13.2.4.2).
func bars(b, k string) bool {
	switch b {
	case "table":
		return true
	case "td", "caption":
		return k != "table" && !inTable(k)
	case "ul", "ol", "menu", "dir":
		return k == "li"
	}
	return false
}

// openInline opens an element that is no block. It stands on the stack only if something is known of it.
func (p *page) openInline(name string, f facts, n int) {
	if name == "a" && p.leaving == 0 {
		p.endLink()
	}
	switch {
	case len(p.stack) < deepest && (f.hidden || f.role == isPart || f.paint != (paint{})):
		p.push(element{name: name}, f, n)
	case p.inlines > 0:
		if i := p.inline(name); i >= 0 {
			p.stack[i].nested++
		}
	}
	if name == "a" && f.link && p.leaving == 0 {
		p.inLink, p.linkText = true, false
	}
}

// inline is the place of the innermost open inline element of that name, or -1.
func (p *page) inline(name string) int {
	for i := len(p.stack) - 1; i >= 0; i-- {
		if e := &p.stack[i]; !e.block && e.name == name {
			return i
		}
	}
	return -1
}

// endInline takes the end tag of an element that is no block.
func (p *page) endInline(name string, n int) {
	if name == "a" && p.leaving == 0 {
		p.endLink()
	}
	if p.inlines == 0 {
		return
	}
	switch i := p.inline(name); {
	case i < 0:
	case p.stack[i].nested > 0:
		p.stack[i].nested--
	default:
		p.pop(i, n)
	}
}

// endLink ends a link that is open.
func (p *page) endLink() {
	if p.inLink && p.linkText {
		p.links++
	}
	p.inLink = false
}

// endBlock ends the open block and begins another, at the place n. In what is left out there are no blocks.
func (p *page) endBlock(n int) {
	if p.leaving > 0 {
		return
	}
	if _, top := p.top(); p.inLink || p.links > 0 && top == "heading" {
		p.words = p.words || p.linkText || p.links > 0
		p.inLink = false
	}
	if p.words {
		p.endRun(p.block)
		p.runStart = n
	} else {
		p.runLinks += p.links
	}
	p.block, p.words, p.links = n, false, 0
}

// endRun ends, at the place n, the blocks that consist of links.
func (p *page) endRun(n int) {
	if p.runLinks >= 2 {
		p.spans = append(p.spans, span{p.runStart, n, Template, true})
	}
	p.runLinks = 0
}
