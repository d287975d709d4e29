package html

import "bytes"

// attributes takes the position i after the name of a tag. It returns the position after
// the tag's ">", or -1 if there is none, and whether the tag closes itself (13.2.5.32 to
// 40). What the attributes say is written to f, unless f is nil.
func attributes(src []byte, i int, f *facts) (end int, closed bool) {
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
		name := i
		i++ // the first byte of a name can be "="
		for i < len(src) && delimits[src[i]] == 0 {
			i++
		}
		after := i
		from, to, next := value(src, skip(src, i))
		if f != nil && mayCount(src[name], after-name) {
			if n := src[name:after]; isHref(n) {
				*f |= hasHref
			} else {
				f.add(n, src[from:to])
			}
		}
		i = next
	}
	return -1, false
}

// value returns where the value of an attribute begins and ends, and the position after it,
// if "=" and a value are at i.
func value(src []byte, i int) (from, to, next int) {
	if i >= len(src) || src[i] != '=' {
		return i, i, i
	}
	if i = skip(src, i+1); i >= len(src) {
		return i, i, i
	}
	switch c := src[i]; c {
	case '"', '\'':
		n := bytes.IndexByte(src[i+1:], c)
		if n < 0 {
			return i + 1, len(src), len(src)
		}
		return i + 1, i + 1 + n, i + 1 + n + 1
	}
	from = i
	for i < len(src) && delimits[src[i]]&(space|greater) == 0 {
		i++
	}
	return from, i, i
}

// rawEnd returns the length of the content, at the start of p, of the element with that
// name: up to its end tag, whose name can be in any case (13.2.5.12 to 14).
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

// scriptEnd is rawEnd for a script. After "<!--", a "<script" takes the next end tag for
// itself, until "-->" (13.2.5.15 to 31).
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

// tagAt reports whether p starts with a tag of that name: the mark, the name in any case,
// and a byte that ends the name.
func tagAt(p []byte, mark string, name []byte) bool {
	n := len(mark) + len(name)
	return len(p) > n && string(p[:len(mark)]) == mark &&
		bytes.EqualFold(p[len(mark):n], name) && delimits[p[n]]&^equals != 0
}
