package html

// traits say how the tags and the content of an element are treated. Those that name an
// element, for the stack of open blocks, stand above the others.
type traits uint16

const (
	boundary   traits = 1 << iota // its tags separate words
	opaque                        // its content has no tags
	shown                         // opaque, and its content is text
	references                    // opaque and shown, with character references
	script                        // opaque, and ends as scripts do
	endless                       // opaque, up to the end of the input
	inert                         // no text in it is shown
	block                         // it stands on the stack of open blocks
	link
	unscripted // shown only where scripts do not run

	kindShift = 10
)

// kind is what the stack of open blocks knows of an element.
type kind uint8

// The blocks that stand on the stack. An end tag closes what is of its kind.
const (
	none kind = iota
	isAddress
	isArticle
	isAside
	isBlockquote
	isCaption
	isCenter
	isDd
	isDetails
	isDialog
	isDir
	isDiv
	isDl
	isDt
	isFieldset
	isFigcaption
	isFigure
	isFooter
	isForm
	isHeader
	isHeading // h1 to h6: the end tag of any of them closes any
	isHgroup
	isLi
	isListing
	isMain
	isMenu
	isNav
	isOl
	isP
	isPre
	isSearch
	isSection
	isSummary
	isTable
	isTbody // and thead, tfoot: likewise
	isTd    // and th: likewise
	isTr
	isUl

	content kind = 1 << 7 // beside an element: it is article or main
)

// kind returns what the stack knows of an element: none if it does not stand there.
func (e traits) kind() kind { return kind(e >> kindShift) }

// traitsOf returns the traits of the element with a lower-case name. A switch over
// strings takes less than half the time of a map.
func traitsOf(name []byte) traits {
	switch string(name) {
	// 13.2.6.4 says what the tokenizer does with these.
	case "script":
		return opaque | script
	case "style", "noframes", "noembed":
		return opaque
	case "noscript":
		return opaque | unscripted
	case "iframe":
		return boundary | opaque
	case "xmp":
		return boundary | opaque | shown
	case "title", "textarea":
		return boundary | opaque | shown | references
	case "plaintext":
		return boundary | opaque | shown | endless
	case "template":
		return inert
	// Displayed as blocks, list items, or parts of tables or of ruby (15.3); br.
	case "html", "body", "hr", "legend", "colgroup", "col", "optgroup", "option", "frameset", "frame", "rt", "rp", "br":
		return boundary
	case "address":
		return boundary | block | traits(isAddress)<<kindShift
	case "article":
		return boundary | block | traits(isArticle)<<kindShift
	case "aside":
		return boundary | block | traits(isAside)<<kindShift
	case "blockquote":
		return boundary | block | traits(isBlockquote)<<kindShift
	case "caption":
		return boundary | block | traits(isCaption)<<kindShift
	case "center":
		return boundary | block | traits(isCenter)<<kindShift
	case "dd":
		return boundary | block | traits(isDd)<<kindShift
	case "details":
		return boundary | block | traits(isDetails)<<kindShift
	case "dialog":
		return boundary | block | traits(isDialog)<<kindShift
	case "dir":
		return boundary | block | traits(isDir)<<kindShift
	case "div":
		return boundary | block | traits(isDiv)<<kindShift
	case "dl":
		return boundary | block | traits(isDl)<<kindShift
	case "dt":
		return boundary | block | traits(isDt)<<kindShift
	case "fieldset":
		return boundary | block | traits(isFieldset)<<kindShift
	case "figcaption":
		return boundary | block | traits(isFigcaption)<<kindShift
	case "figure":
		return boundary | block | traits(isFigure)<<kindShift
	case "footer":
		return boundary | block | traits(isFooter)<<kindShift
	case "form":
		return boundary | block | traits(isForm)<<kindShift
	case "header":
		return boundary | block | traits(isHeader)<<kindShift
	case "h1", "h2", "h3", "h4", "h5", "h6":
		return boundary | block | traits(isHeading)<<kindShift
	case "hgroup":
		return boundary | block | traits(isHgroup)<<kindShift
	case "li":
		return boundary | block | traits(isLi)<<kindShift
	case "listing":
		return boundary | block | traits(isListing)<<kindShift
	case "main":
		return boundary | block | traits(isMain)<<kindShift
	case "menu":
		return boundary | block | traits(isMenu)<<kindShift
	case "nav":
		return boundary | block | traits(isNav)<<kindShift
	case "ol":
		return boundary | block | traits(isOl)<<kindShift
	case "p":
		return boundary | block | traits(isP)<<kindShift
	case "pre":
		return boundary | block | traits(isPre)<<kindShift
	case "search":
		return boundary | block | traits(isSearch)<<kindShift
	case "section":
		return boundary | block | traits(isSection)<<kindShift
	case "summary":
		return boundary | block | traits(isSummary)<<kindShift
	case "table":
		return boundary | block | traits(isTable)<<kindShift
	case "tbody", "thead", "tfoot":
		return boundary | block | traits(isTbody)<<kindShift
	case "td", "th":
		return boundary | block | traits(isTd)<<kindShift
	case "tr":
		return boundary | block | traits(isTr)<<kindShift
	case "ul":
		return boundary | block | traits(isUl)<<kindShift
	case "a":
		return link
	// Replaced by something else: images, media, form controls (15.4, 15.5).
	case "img", "picture", "video", "audio", "canvas", "embed", "object", "svg",
		"input", "button", "select", "meter", "progress", "marquee":
		return boundary
	}
	return 0
}

// longest is the length of the longest name that has traits.
const longest = len("blockquote")

// element returns the name of the tag that starts at src[i], as it is written, and the
// traits of its element.
func element(src []byte, i int) (e traits, name []byte) {
	var lower [longest]byte
	n := 0
	for i+n < len(src) && delimits[src[i+n]]&^equals == 0 {
		if n < longest {
			c := src[i+n]
			if 'A' <= c && c <= 'Z' {
				c |= 0x20
			}
			lower[n] = c
		}
		n++
	}
	if n <= longest {
		e = traitsOf(lower[:n])
	}
	return e, src[i : i+n]
}
