package html

// traits say how the tags and the content of an element are treated.
type traits uint8

const (
	boundary   traits = 1 << iota // its tags separate words
	opaque                        // its content has no tags
	shown                         // opaque, and its content is text
	references                    // opaque and shown, with character references
	script                        // opaque, and ends as scripts do
	endless                       // opaque, up to the end of the input
	inert                         // no text in it is shown
)

// traitsOf returns the traits of the element with a lower-case name. A switch over
// strings takes less than half the time of a map.
func traitsOf(name []byte) traits {
	switch string(name) {
	// 13.2.6.4 says what the tokenizer does with these.
	case "script":
		return opaque | script
	case "style", "noscript", "noframes", "noembed":
		return opaque
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
	case "html", "body", "address", "blockquote", "center", "dialog", "div", "figure", "figcaption", "footer",
		"form", "header", "hr", "legend", "listing", "main", "p", "pre", "search",
		"article", "aside", "h1", "h2", "h3", "h4", "h5", "h6", "hgroup", "nav", "section",
		"dir", "dd", "dl", "dt", "menu", "ol", "ul", "li",
		"table", "caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "td", "th",
		"fieldset", "details", "summary", "optgroup", "option", "frameset", "frame", "rt", "rp", "br":
		return boundary
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
