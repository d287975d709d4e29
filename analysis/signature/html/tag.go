package html

import "bytes"

// delimits says of a byte whether it ends the name of a tag: white space, "/" or
// ">" (13.2.5.8), and with equals also that of an attribute (13.2.5.33).
var delimits = [256]uint8{
	'\t': space, '\n': space, '\f': space, '\r': space, ' ': space,
	'/': solidus, '>': greater, '=': equals,
}

const (
	space uint8 = 1 << iota
	solidus
	greater
	equals
)

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

// attributes goes on from behind the name of a tag to behind its ">", or to -1 if
// there is none, and says whether the tag closes itself (13.2.5.32 to 40).
func attributes(src []byte, i int) (end int, closed bool) {
	for i < len(src) {
		switch d := delimits[src[i]]; d {
		case greater:
			return i + 1, closed
		case space, solidus:
			closed = d == solidus
			i++
			continue
		}
		closed = false
		i++ // the first byte of a name may be "="
		for i < len(src) && delimits[src[i]] == 0 {
			i++
		}
		i = value(src, skip(src, i))
	}
	return -1, false
}

// value goes past "=" and the value of an attribute, if they are at i.
func value(src []byte, i int) int {
	if i >= len(src) || src[i] != '=' {
		return i
	}
	if i = skip(src, i+1); i >= len(src) {
		return i
	}
	switch c := src[i]; c {
	case '"', '\'':
		return i + 1 + through(src[i+1:], c)
	}
	for i < len(src) && delimits[src[i]]&(space|greater) == 0 {
		i++
	}
	return i
}

// skip goes past white space.
func skip(src []byte, i int) int {
	for i < len(src) && delimits[src[i]] == space {
		i++
	}
	return i
}

// rawEnd returns the length of the content, at the start of p, of the element
// with that name: up to its end tag, which may have any case (13.2.5.12 to 14).
func rawEnd(p, name []byte) int {
	for i := 0; ; i++ {
		n := bytes.IndexByte(p[i:], '<')
		if n < 0 {
			return len(p)
		}
		i += n
		if tagAt(p[i:], "</", name) {
			return i
		}
	}
}

// scriptEnd is rawEnd of a script. Behind "<!--", "<script" makes the next end tag
// its own, until "-->" (13.2.5.15 to 31).
func scriptEnd(p []byte) int {
	name := []byte("script")
	escaped, double := false, false
	for i := 0; ; {
		n := bytes.IndexByte(p[i:], '<')
		if n < 0 {
			return len(p)
		}
		if escaped && bytes.Contains(p[i:i+n], []byte("-->")) {
			escaped, double = false, false
		}
		i += n
		switch {
		case tagAt(p[i:], "</", name):
			if !double {
				return i
			}
			double = false
		case escaped && tagAt(p[i:], "<", name):
			double = true
		case !escaped && bytes.HasPrefix(p[i:], []byte("<!--")):
			escaped = true
			i++ // "<!-->" is both
		}
		i++
	}
}

// tagAt reports whether p starts with a tag of that name: the mark, the name in any
// case, and a byte that ends it.
func tagAt(p []byte, mark string, name []byte) bool {
	n := len(mark) + len(name)
	return len(p) > n && string(p[:len(mark)]) == mark &&
		bytes.EqualFold(p[len(mark):n], name) && delimits[p[n]]&^equals != 0
}
