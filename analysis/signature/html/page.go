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

	// An element is being left out if leaving is true: until fewer than level blocks are open,
	// or, if it is no block, until its own end tag. As long as it is not sure that enough
	// remains, the text in blocks is written all the same, since it might be kept.
	leaving bool
	mute    bool // nothing is written of it
	skipped bool // that was so of an element
	level   int
	name    []byte // of an element that is no block, else nil
	nested  int    // open elements of that name
	began   int    // in dst
	at      int    // the last block tag in it, in dst

	hiding hiding // in use if words are counted

	kept    words // of dst up to counted, but for elements that are left out
	counted int

	// The block that is open: it began at block, and so did the blocks before it that
	// consist of links, at runStart. Of links those with words count.
	block    int
	words    bool // it has words outside links
	linked   bool // it has links, or an element is being left out, or ends in it
	inLink   bool
	linkText bool // the open link has words
	links    int
	runLinks int
	runStart int
	ran      bool // such blocks are left out

	left []span // what is written and left out, in order, as places in dst
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

// simple reports whether there is no more to be done at the start tag of a block of the kind k than to
// push it.
func (p *page) simple(k kind) bool {
	if p.depth == deepest || p.facts&(isHidden|isPart|isMainly) != 0 {
		return false
	}
	top := p.top()
	return rules[k] == 0 && top != isP || k == isLi && (top == isUl || top == isOl)
}

// push puts a block on the stack.
func (p *page) push(k kind) {
	p.blocks[p.depth] = k
	p.depth++
}

// start closes the blocks that the start tag of k closes.
func (p *page) start(k kind) {
	if p.deeper > 0 {
		return
	}
	rule := rules[k]
	if rule&inTable == 0 && p.top() == isP {
		p.closeTo(p.depth - 1)
	}
	if rule&closes != 0 {
		p.closeFor(k)
	}
}

// closeFor closes what the start tag of k closes besides a p.
func (p *page) closeFor(k kind) {
	switch k {
	case isHeading:
		if p.top() == isHeading {
			p.closeTo(p.depth - 1)
		}
	case isLi:
		p.closeItem(isLi, isLi)
	case isDt, isDd:
		p.closeItem(isDt, isDd)
	case isTd:
		p.closeAbove(isTr, isTbody, isTable)
	case isTr:
		p.closeAbove(isTbody, isTable)
	case isTbody, isCaption:
		p.closeAbove(isTable)
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

// open puts the block of a start tag on the stack, when its separator is written, and begins to
// leave it out if there is reason to. It reports whether the block is on the stack.
func (p *page) open(k kind, dst []byte) bool {
	rule := rules[k]
	switch {
	case p.depth == deepest:
		p.deeper++
		return false
	case rule&inTable != 0 && !p.place(k):
		return false
	}
	part := rule&partial != 0 || rule&outside != 0 && p.mains == 0
	if rule&central != 0 || p.facts&isMainly != 0 {
		k |= content
		p.mains++
	}
	p.push(k)
	if p.excludes(part) {
		p.leave(nil, dst)
	}
	return true
}

// openLink opens a link, which is never inside another.
func (p *page) openLink() {
	p.endLink()
	p.linked, p.inLink, p.linkText = true, true, false
}

// openInline is open for what does not stand on the stack.
func (p *page) openInline(link bool, name, dst []byte) {
	if p.leaving {
		if p.name != nil && bytes.EqualFold(name, p.name) {
			p.nested++
		}
		return
	}
	if link {
		p.endLink()
	}
	switch {
	case p.excludes(false) && !void(name):
		p.leave(name, dst)
	case link && p.facts&hasHref != 0:
		p.openLink()
	}
}

// excludes reports whether there is reason to leave out the element of the tag that was
// read; part says whether it is by its name a part of a template.
func (p *page) excludes(part bool) bool {
	return !p.leaving && (p.without&hidden != 0 && p.facts&isHidden != 0 || p.without&template != 0 && (part || p.facts&isPart != 0))
}

// leave begins to leave out an element; name is nil for a block.
func (p *page) leave(name, dst []byte) {
	p.leaving, p.linked = true, true
	p.level, p.name, p.nested, p.began = p.depth, name, 1, len(dst)
	p.mute = name != nil || p.sure(dst)
	p.skipped = p.skipped || p.mute
}

// sure reports whether it seems that enough of dst remains.
func (p *page) sure(dst []byte) bool {
	if p.kept.n >= least {
		return true
	}
	p.kept.add(dst[p.counted:])
	p.kept.open, p.counted = false, len(dst)
	return p.kept.n >= least
}

// stay ends leaving out, at the place n.
func (p *page) stay(n int) {
	if !p.mute && n > p.began {
		p.add(len(p.left), len(p.left), span{p.began, n})
		p.counted, p.words = n, false
	}
	p.leaving, p.mute, p.level, p.name = false, false, 0, nil
}

// endInline takes the end tag of what does not stand on the stack, in what is left out.
func (p *page) endInline(name []byte) {
	if p.name != nil && bytes.EqualFold(name, p.name) {
		if p.nested--; p.nested == 0 {
			p.stay(p.began)
		}
	}
}

// pop closes the block that was opened last, if that is all that the end tag of k does.
func (p *page) pop(k kind) bool {
	if p.depth <= p.level || p.depth <= p.hiding.level || p.deeper > 0 || p.blocks[p.depth-1] != k {
		return false
	}
	p.depth--
	return true
}

// end takes the end tag of a block.
func (p *page) end(k kind) {
	if p.deeper > 0 {
		p.deeper--
		return
	}
	for i := p.depth - 1; i >= 0; i-- {
		b := p.blocks[i] &^ content
		if b == k {
			p.closeTo(i)
			return
		}
		if bars(b, k) {
			return
		}
	}
}

// endHiding is endInline in an element that hides its text.
func (p *page) endHiding(name []byte) {
	if h := &p.hiding; h.name != nil && bytes.EqualFold(name, h.name) {
		if h.nested--; h.nested == 0 {
			*h = hiding{}
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
func (p *page) closeTo(depth int) {
	for ; p.depth > depth; p.depth-- {
		if p.blocks[p.depth-1]&content != 0 {
			p.mains--
		}
	}
	if p.leaving && depth < p.level {
		p.stay(p.at)
	}
	if depth < p.hiding.level {
		p.hiding = hiding{}
	}
}

// closeAbove closes the blocks in the innermost open block of the kinds given, of which the
// last is isTable.
func (p *page) closeAbove(kinds ...kind) {
	for i := p.depth - 1; i >= 0; i-- {
		if slices.Contains(kinds, p.blocks[i]&^content) {
			p.closeTo(i + 1)
			return
		}
	}
}

// closeItem closes the list item, of one of two kinds, that is open in the innermost list.
func (p *page) closeItem(one, other kind) {
	for i := p.depth - 1; i >= 0; i-- {
		switch p.blocks[i] &^ content {
		case one, other:
			p.closeTo(i)
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

// endBlock ends the open block and begins another, at the place n.
func (p *page) endBlock(n int) {
	if p.linked {
		p.endLinks(n)
		return
	}
	if p.words {
		p.runStart, p.words = n, false
	}
	p.block = n
}

// endLinks is endBlock where there are links, in the block or before it, or where an element is
// being left out.
func (p *page) endLinks(n int) {
	if p.leaving {
		p.at = n
		return
	}
	if p.inLink || p.links > 0 && p.top() == isHeading {
		p.words = p.words || p.linkText || p.links > 0
		p.inLink = false
	}
	if p.words {
		p.endRun(p.block)
		p.runStart = n
	} else {
		p.runLinks += p.links
	}
	p.block, p.words, p.linked, p.links = n, false, p.runLinks > 0, 0
}

// add leaves out s, in place of what is left out in it.
func (p *page) add(first, next int, s span) {
	if p.left == nil {
		p.left = make([]span, 0, 8)
	}
	p.left = slices.Replace(p.left, first, next, s)
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
		p.add(first, next, span{p.runStart, to})
		p.ran = true
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

// cut returns dst without what is left out.
func (p *page) cut(dst []byte) []byte {
	if len(p.left) == 0 {
		return dst
	}
	to := p.left[0].from
	for i, s := range p.left {
		if to > p.from && dst[to-1] != '\n' {
			dst[to] = '\n' // what is before links and what is after them are not one word
			to++
		}
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
	if !p.ran {
		return p.sure(dst)
	}
	var w words
	from := p.from
	for _, s := range p.left {
		if w.add(dst[from:s.from]); w.n >= least {
			return true
		}
		from, w.open = s.to, false
	}
	w.add(dst[from:])
	return w.n >= least
}
