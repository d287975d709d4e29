package html

import (
	"bytes"
	"slices"
)

// least is the number of words below which nothing is left out.
const least = 20

// deepest is the number of open blocks that are known by name.
const deepest = 512

// reasons are what text is left out for.
type reasons uint8

const (
	hidden   reasons = 1 << iota // nobody sees it
	template                     // the markup says that it is not the content
)

// page is what is known of a page while it is read: the open blocks, what is being left out,
// and the links of the block that is open.
type page struct {
	without reasons
	from    int   // where the page begins in dst
	facts   facts // of the tag that is read

	blocks [deepest]kind // with the bit content, if the block is article or main, perhaps by its role
	depth  int
	deeper int // open blocks beyond
	mains  int // open blocks that are article or main

	left []span // what is left out, in order, as places in dst

	// An element is being left out if leaving is true: from the place began, until fewer
	// than level blocks are open, or, if it is no block, its own end tag.
	leaving bool
	began   int
	level   int
	name    []byte // of an element that is no block
	nested  int    // open elements of that name

	// The block that is open: it began at block, and so did the blocks before it that
	// consist of links, at runStart. Of links those with words count.
	block    int
	words    bool // it has words outside links
	links    int
	inLink   bool
	linkText bool // the open link has words
	runStart int
	runLinks int
}

// span is a range of places.
type span struct{ from, to int }

// found reports whether the open link, or if none is open the block, has a word.
func (p *page) found() bool {
	if p.inLink {
		return p.linkText
	}
	return p.words
}

// find notes that it has one.
func (p *page) find() {
	if p.inLink {
		p.linkText = true
	} else {
		p.words = true
	}
}

// last returns the length of dst up to the last byte that is kept: n, or less if the text
// that ends at n is left out.
func (p *page) last(n int) int {
	if p.leaving || len(p.left) == 0 || p.left[len(p.left)-1].to != n {
		return n
	}
	return p.left[len(p.left)-1].from
}

// start takes the start tag of a block or a link, when n bytes are written and no separator yet. It
// closes the blocks that the tag closes.
func (p *page) start(e traits, n int) {
	k := e.kind()
	if k == isLink {
		return
	}
	p.endBlock(n)
	if p.deeper > 0 {
		return
	}
	top := p.top()
	rule := rules[k]
	if top == isP && rule&inTable == 0 {
		p.closeTo(p.depth-1, n)
		top = p.top()
	}
	if rule&closes == 0 {
		return
	}
	switch k {
	case isHeading:
		if top == isHeading {
			p.closeTo(p.depth-1, n)
		}
	case isLi:
		p.closeItem(n, isLi, isLi)
	case isDt, isDd:
		p.closeItem(n, isDt, isDd)
	case isTd:
		p.closeAbove(n, isTr, isTbody, isTable)
	case isTr:
		p.closeAbove(n, isTbody, isTable)
	case isTbody, isCaption:
		p.closeAbove(n, isTable)
	}
}

// rules are what start tags of blocks do, and which blocks are parts of a template.
var rules = [1 << 6]uint8{
	isHeading: closes, isLi: closes, isDt: closes, isDd: closes,
	isTd: closes | inTable, isTr: closes | inTable, isTbody: closes | inTable, isCaption: closes | inTable,
	isNav: partial, isAside: partial, isFooter: partial, isSearch: partial,
	isHeader:  outside,
	isArticle: central, isMain: central,
}

const (
	closes  uint8 = 1 << iota // it closes blocks that are open, not only a p
	inTable                   // it belongs in a table, and closes no p
	partial                   // it is a part of a template
	outside                   // it is one outside article and main
	central                   // it is article or main
)

// place reports whether a part of a table stands where one can.
func (p *page) place(k kind) bool {
	switch top := p.top(); k {
	case isTd:
		return top == isTr || top == isTbody || top == isTable
	case isTr:
		return top == isTbody || top == isTable
	}
	return p.top() == isTable
}

// open puts the element of a start tag on the stack, when its separator is written, and begins
// to leave it out if there is reason to.
func (p *page) open(e traits, name []byte, n int) {
	k := e.kind()
	if k == none || k == isLink {
		p.openInline(k, name, n)
		return
	}
	rule := rules[k]
	switch {
	case p.depth == deepest:
		p.deeper++
		return
	case rule&inTable != 0 && !p.place(k):
		return
	}
	part := rule&partial != 0 || rule&outside != 0 && p.mains == 0
	if rule&central != 0 || p.facts&isMainly != 0 {
		k |= content
		p.mains++
	}
	p.blocks[p.depth] = k
	p.depth++
	if p.excludes(part) {
		p.leave(nil, n)
	}
}

// openInline is open for what does not stand on the stack.
func (p *page) openInline(k kind, name []byte, n int) {
	if p.leaving {
		if p.name != nil && bytes.EqualFold(name, p.name) {
			p.nested++
		}
		return
	}
	if k == isLink {
		p.endLink() // one is never inside another
	}
	switch {
	case p.excludes(false) && !void(name):
		p.leave(name, n)
	case k == isLink:
		p.inLink, p.linkText = p.facts&hasHref != 0, false
	}
}

// excludes reports whether there is reason to leave out the element of the tag that was
// read; part says whether it is by its name a part of a template.
func (p *page) excludes(part bool) bool {
	return !p.leaving && (p.facts&isHidden != 0 || p.without&template != 0 && (part || p.facts&isPart != 0))
}

// leave begins to leave out an element; name is nil for a block.
func (p *page) leave(name []byte, n int) {
	p.leaving, p.began, p.level, p.name, p.nested = true, n, p.depth, name, 1
}

// stay ends leaving out.
func (p *page) stay(n int) {
	p.leaving = false
	switch last := len(p.left) - 1; {
	case n == p.began:
	case last >= 0 && p.left[last].to == p.began:
		p.left[last].to = n
	default:
		p.left = append(p.left, span{p.began, n})
	}
}

// end takes an end tag, when n bytes are written and no separator yet.
func (p *page) end(e traits, name []byte, n int) {
	k := e.kind()
	if k == none || k == isLink {
		if !p.leaving && k == isLink {
			p.endLink()
		}
		if p.leaving && p.name != nil && bytes.EqualFold(name, p.name) {
			if p.nested--; p.nested == 0 {
				p.stay(n)
			}
		}
		return
	}
	p.endBlock(n)
	if p.deeper > 0 {
		p.deeper--
		return
	}
	if p.top() == k {
		p.closeTo(p.depth-1, n)
		return
	}
	for i := p.depth - 1; i >= 0; i-- {
		b := p.blocks[i] &^ content
		if b == k {
			p.closeTo(i, n)
			return
		}
		if bars(b, k) {
			return
		}
	}
}

// bars reports whether the end tag of k closes nothing around an open b (13.2.4.2).
func bars(b, k kind) bool {
	switch b {
	case isTable:
		return true
	case isTd, isCaption:
		return k != isTd && k != isTr && k != isTbody && k != isTable && k != isCaption
	case isUl, isOl, isMenu, isDir:
		return k == isLi
	}
	return false
}

// top is the innermost open block.
func (p *page) top() kind {
	if p.depth == 0 {
		return none
	}
	return p.blocks[p.depth-1] &^ content
}

// closeTo closes blocks until depth are open.
func (p *page) closeTo(depth, n int) {
	for ; p.depth > depth; p.depth-- {
		if p.blocks[p.depth-1]&content != 0 {
			p.mains--
		}
	}
	if p.leaving && p.depth < p.level {
		p.stay(n)
	}
}

// closeAbove closes the blocks in the innermost open block of the kinds given, of which the
// last is isTable.
func (p *page) closeAbove(n int, kinds ...kind) {
	for i := p.depth - 1; i >= 0; i-- {
		if slices.Contains(kinds, p.blocks[i]&^content) {
			p.closeTo(i+1, n)
			return
		}
	}
}

// closeItem closes the list item, of one of two kinds, that is open in the innermost list.
func (p *page) closeItem(n int, one, other kind) {
	for i := p.depth - 1; i >= 0; i-- {
		switch p.blocks[i] &^ content {
		case one, other:
			p.closeTo(i, n)
			return
		case isAddress, isDiv, isP:
		default:
			return
		}
	}
}

// endLink ends a link that is open.
func (p *page) endLink() {
	if p.inLink && p.linkText {
		p.links++
	}
	p.inLink = false
}

// endBlock ends the open block and begins another.
func (p *page) endBlock(n int) {
	if p.leaving {
		return
	}
	if p.inLink || p.links > 0 && p.top() == isHeading {
		p.words = p.words || p.linkText || p.links > 0
		p.inLink = false
	}
	if p.words {
		if p.runLinks > 0 {
			p.endRun(p.block)
		}
		p.runStart, p.words = n, false
	} else {
		p.runLinks += p.links
	}
	p.block, p.links = n, 0
}

// endRun ends, at the place to, the blocks that consist of links, and leaves them out.
func (p *page) endRun(to int) {
	if p.runLinks >= 2 && p.without&template != 0 {
		next := len(p.left) // what is left out after the run begins here
		for next > 0 && p.left[next-1].from >= to {
			next--
		}
		first := next // and what is left out in it here
		for first > 0 && p.left[first-1].from >= p.runStart {
			first--
		}
		p.left = slices.Replace(p.left, first, next, span{p.runStart, to})
	}
	p.runLinks = 0
}

// finish ends the page.
func (p *page) finish(n int) {
	if p.leaving {
		p.stay(n)
	}
	p.endBlock(n)
	p.endRun(n)
}

// cut returns dst without what is left out, or all of it if too little would remain.
func (p *page) cut(dst []byte) []byte {
	if len(p.left) == 0 || !p.enough(dst) {
		return dst
	}
	to := p.left[0].from
	for i, s := range p.left {
		next := len(dst)
		if i+1 < len(p.left) {
			next = p.left[i+1].from
		}
		to += copy(dst[to:], dst[s.to:next])
	}
	return dst[:to]
}

// enough reports whether at least least words of dst remain.
func (p *page) enough(dst []byte) bool {
	var w words
	from := p.from
	for _, s := range p.left {
		if w.add(dst[from:s.from]); w.n >= least {
			return true
		}
		from = s.to
	}
	w.add(dst[from:])
	return w.n >= least
}
