package html

import "bytes"

// invisible reports whether the value of an attribute "style" keeps the text of its element
// from being seen. Of a property that is repeated the last value counts.
func invisible(style []byte) bool {
	none, hidden := false, false
	var text, behind colour
	for len(style) > 0 {
		n := through(style, ';')
		name, value, ok := bytes.Cut(bytes.TrimSuffix(style[:n], []byte(";")), []byte(":"))
		style = style[n:]
		if !ok {
			continue
		}
		name, value = trim(name), trim(value)
		if i := bytes.IndexByte(value, '!'); i >= 0 { // !important
			value = trim(value[:i])
		}
		switch len(name) {
		case len("color"):
			if bytes.EqualFold(name, []byte("color")) {
				text = colourOf(value)
			}
		case len("display"):
			if bytes.EqualFold(name, []byte("display")) {
				none = bytes.EqualFold(value, []byte("none"))
			}
		case len("visibility"): // and background
			switch {
			case bytes.EqualFold(name, []byte("visibility")):
				hidden = bytes.EqualFold(value, []byte("hidden"))
			case bytes.EqualFold(name, []byte("background")):
				behind = backgroundOf(value)
			}
		case len("background-color"):
			if bytes.EqualFold(name, []byte("background-color")) {
				behind = colourOf(value)
			}
		}
	}
	return none || hidden || text != 0 && text == behind
}

func trim(p []byte) []byte {
	p = p[skip(p, 0):]
	for len(p) > 0 && delimits[p[len(p)-1]] == space {
		p = p[:len(p)-1]
	}
	return p
}

// colour is a colour as 0x1rrggbb, or 0 if it is not known.
type colour uint32

const known colour = 1 << 24

// backgroundOf returns the colour of a background of which no more is said than the colour.
// A picture can lie over it.
func backgroundOf(value []byte) colour {
	if bytes.Contains(value, []byte("url(")) || bytes.Contains(value, []byte("gradient(")) {
		return 0
	}
	if c := colourOf(value); c != 0 {
		return c
	}
	for len(value) > 0 {
		n := 0
		for n < len(value) && delimits[value[n]] != space {
			n++
		}
		if c := colourOf(value[:n]); c != 0 {
			return c
		}
		value = value[n+skip(value[n:], 0):]
	}
	return 0
}

// colourOf returns the colour that value names.
func colourOf(value []byte) colour {
	if len(value) > 0 && value[0] == '#' {
		return hexadecimal(value[1:])
	}
	var lower [len("rgb(255 , 255 , 255)") + 8]byte
	if len(value) > len(lower) {
		return 0
	}
	text := toLower(lower[:], value)
	if inner, ok := bytes.CutPrefix(text, []byte("rgb(")); ok {
		inner, ok = bytes.CutSuffix(inner, []byte(")"))
		if !ok {
			return 0
		}
		return decimal(inner)
	}
	switch string(text) { // CSS 1, section 6.3
	case "black":
		return known
	case "silver":
		return known | 0xc0c0c0
	case "gray", "grey":
		return known | 0x808080
	case "white":
		return known | 0xffffff
	case "maroon":
		return known | 0x800000
	case "red":
		return known | 0xff0000
	case "purple":
		return known | 0x800080
	case "fuchsia":
		return known | 0xff00ff
	case "green":
		return known | 0x008000
	case "lime":
		return known | 0x00ff00
	case "olive":
		return known | 0x808000
	case "yellow":
		return known | 0xffff00
	case "navy":
		return known | 0x000080
	case "blue":
		return known | 0x0000ff
	case "teal":
		return known | 0x008080
	case "aqua":
		return known | 0x00ffff
	}
	return 0
}

// hexadecimal returns the colour of 3 or 6 hexadecimal digits.
func hexadecimal(digits []byte) colour {
	if len(digits) != 3 && len(digits) != 6 {
		return 0
	}
	c := colour(0)
	for _, d := range digits {
		switch {
		case digit(d):
			d -= '0'
		case 'a' <= d|0x20 && d|0x20 <= 'f':
			d = d | 0x20 - 'a' + 10
		default:
			return 0
		}
		c = c<<4 | colour(d)
		if len(digits) == 3 {
			c = c<<4 | colour(d)
		}
	}
	return known | c
}

// decimal returns the colour of three numbers up to 255, between commas or spaces.
func decimal(p []byte) colour {
	c, n := colour(0), 0
	for i := 0; i < len(p); {
		if delimits[p[i]] == space || p[i] == ',' {
			i++
			continue
		}
		v, from := 0, i
		for ; i < len(p) && digit(p[i]) && v <= 255; i++ {
			v = 10*v + int(p[i]-'0')
		}
		if i == from || v > 255 {
			return 0
		}
		c, n = c<<8|colour(v), n+1
	}
	if n != 3 {
		return 0
	}
	return known | c
}
