package html

import (
	"bytes"
	"encoding/binary"
)

// facts are what the attributes of a tag say about whether its element is content.
type facts uint8

const (
	isHidden facts = 1 << iota // hidden, display:none, visibility:hidden, or in the colour of its background
	isPart                     // its role is that of a part of a template
	isMainly                   // its role is main or article
	hasHref

	// Of an attribute that is repeated the first counts.
	seenRole
	seenStyle
	seenHidden
)

// mayCount reports whether a name of n bytes, of which c is the first, might be that of an attribute
// that counts.
func mayCount(c byte, n int) bool {
	switch c | 0x20 {
	case 'h', 'r', 's':
		return n >= len("role") && n <= len("hidden")
	}
	return false
}

// isHref reports whether name is "href", in any case.
func isHref(name []byte) bool {
	return len(name) == 4 && binary.LittleEndian.Uint32(name)|0x20202020 == 'h'|'r'<<8|'e'<<16|'f'<<24
}

// once reports whether an attribute comes for the first time.
func (f *facts) once(seen facts) bool {
	first := *f&seen == 0
	*f |= seen
	return first
}

// add takes an attribute whose name might be one of those that count: see mayCount.
func (f *facts) add(name, value []byte) {
	switch string(name) {
	case "role":
		if f.once(seenRole) {
			f.role(value)
		}
	case "style":
		if f.once(seenStyle) && invisible(value) {
			*f |= isHidden
		}
	case "hidden":
		if f.once(seenHidden) && !bytes.EqualFold(value, []byte("until-found")) {
			*f |= isHidden
		}
	default:
		var lower [len("hidden")]byte
		if bytes.ContainsFunc(name, func(r rune) bool { return 'A' <= r && r <= 'Z' }) {
			f.add(toLower(lower[:], name), value)
		}
	}
}

// role takes the first of the roles in value.
func (f *facts) role(value []byte) {
	value = value[skip(value, 0):]
	n := 0
	for n < len(value) && delimits[value[n]] != space {
		n++
	}
	var lower [len("complementary")]byte
	if n > len(lower) {
		return
	}
	switch string(toLower(lower[:], value[:n])) {
	case "navigation", "banner", "contentinfo", "complementary", "menu", "menubar", "toolbar", "search":
		*f |= isPart
	case "main", "article":
		*f |= isMainly
	}
}

// toLower copies p, in lower case, to dst, which must be as long, and returns the copy.
func toLower(dst, p []byte) []byte {
	for i, c := range p {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		dst[i] = c
	}
	return dst[:len(p)]
}
