package html

import (
	"bytes"
	"strings"
)

// traits say how the tags and the content of an element are treated.
type traits uint8

const (
	boundary traits = 1 << iota // its tags separate words
	dropped                     // its content is no text
	block                       // it stands on the stack of open blocks
)

// tag is what is known of the tags of an element.
type tag struct {
	traits
	name string
	kind string // of a block: the end tag of any heading closes any, and likewise of the cells and of the groups of rows in a table
}

// elements are those that have traits.
var elements = func() map[string]tag {
	all := make(map[string]tag)
	for names, t := range map[string]traits{
		"a b i em strong span font u s small big code template": 0, // known by name alone
		"script style noframes noembed noscript":                dropped,
		"iframe":                                                boundary | dropped,
		// Text as it stands (13.2.6.4); displayed as blocks, list items, or parts of tables or of ruby (15.3);
		// br; replaced by something else: images, media, form controls (15.4, 15.5).
		"xmp title textarea plaintext html body hr legend colgroup col optgroup option frameset frame rt rp br " +
			"img picture video audio canvas embed object svg input button select meter progress marquee": boundary,
		"address article aside blockquote caption center dd details dialog dir div dl dt fieldset figcaption figure " +
			"footer form h1 h2 h3 h4 h5 h6 header hgroup li listing main menu nav ol p pre search section summary " +
			"table tbody td tfoot th thead tr ul": boundary | block,
	} {
		for name := range strings.FieldsSeq(names) {
			all[name] = tag{t, name, kind(name)}
		}
	}
	return all
}()

// tagOf returns what is known of the element of that name.
func tagOf(name []byte) tag {
	if t, ok := elements[string(name)]; ok {
		return t
	}
	return tag{name: string(name)}
}

// void are the elements without content and end tag (13.1.2).
var void = func() map[string]bool {
	all := make(map[string]bool)
	for name := range strings.FieldsSeq("area base br col embed hr img input link meta param source track wbr") {
		all[name] = true
	}
	return all
}()

// kind is the name by which the stack of open blocks knows an element.
func kind(name string) string {
	switch name {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		return "heading"
	case "th":
		return "td"
	case "thead", "tfoot":
		return "tbody"
	}
	return name
}

// facts are what the attributes of a tag say. Of an attribute that is repeated the first counts.
type facts struct {
	hidden, link                    bool
	role                            role
	paint                           paint
	seenHidden, seenRole, seenStyle bool
}

// role says which part of a page an element is, by the first of its roles.
type role uint8

const (
	noRole role = iota
	isPart      // of a template
	isMain      // main or article
)

// add takes an attribute, whose name is in lower case.
func (f *facts) add(name, value []byte) {
	switch string(name) {
	case "href":
		f.link = true
	case "hidden":
		f.hidden = f.hidden || !f.seenHidden && !bytes.EqualFold(value, []byte("until-found"))
		f.seenHidden = true
	case "style":
		if !f.seenStyle {
			f.hidden = hides(string(value), &f.paint) || f.hidden
			f.seenStyle = true
		}
	case "bgcolor":
		if f.paint.behind == 0 {
			f.paint.behind = colourOf(string(value))
		}
	case "color": // of font
		if f.paint.text == 0 {
			f.paint.text = colourOf(string(value))
		}
	case "role":
		if !f.seenRole {
			f.role = roleOf(string(value))
			f.seenRole = true
		}
	}
}

func roleOf(value string) role {
	if all := strings.Fields(value); len(all) > 0 {
		switch strings.ToLower(all[0]) {
		case "navigation", "banner", "contentinfo", "complementary", "menu", "menubar", "toolbar", "search":
			return isPart
		case "main", "article":
			return isMain
		}
	}
	return noRole
}
