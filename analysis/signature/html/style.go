package html

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// hides reports whether the value of an attribute "style" keeps the text of its element from being seen, whatever
// stands around it, and writes the colours that it gives to p. Of a property that is repeated the last value counts.
// Text is not seen with
//
//   - display: none, or visibility: hidden or collapse;
//   - opacity or font-size of (nearly) 0;
//   - a height or width, or the most of one, of 0, with overflow: hidden or clip;
//   - a place off the screen: left, right, top, bottom, margin-left, margin-top or text-indent of some 500 pixels or
//     more below 0;
//   - a transparent colour.
//
// Text in the colour of what is behind it is not seen either: see paint. References and escapes in a style are not
// resolved.
func hides(style string, p *paint) bool {
	var display, visibility, opacity, size, clips, off, clear bool
	var empty [4]bool // height, width and the most of each
	for declaration := range strings.SplitSeq(strings.ToLower(style), ";") {
		name, value, ok := strings.Cut(declaration, ":")
		if !ok {
			continue
		}
		value, _, _ = strings.Cut(value, "!") // !important
		value = strings.TrimSpace(value)
		pixels, isLength := length(value)
		switch name = strings.TrimSpace(name); name {
		case "display":
			display = value == "none"
		case "visibility":
			visibility = value == "hidden" || value == "collapse"
		case "opacity":
			opacity = isLength && pixels < .02
		case "font-size":
			size = isLength && pixels < 2
		case "overflow":
			clips = value == "hidden" || value == "clip"
		case "height", "width", "max-height", "max-width":
			empty[slices.Index(sizes, name)] = isLength && pixels == 0
		case "left", "right", "top", "bottom", "margin-left", "margin-top", "text-indent":
			off = off || isLength && pixels <= -500
		case "color":
			p.text, clear = colourOf(value), value == "transparent"
		case "background-color":
			p.behind = colourOf(value)
		case "background":
			p.behind = backgroundOf(value)
		}
	}
	return display || visibility || opacity || size || off || clear || clips && empty != [4]bool{}
}

var sizes = []string{"height", "width", "max-height", "max-width"}

// length is a length in pixels, or a number; ok is false if it is none.
func length(value string) (pixels float64, ok bool) {
	number := strings.TrimRight(value, "abcdefghijklmnopqrstuvwxyz%")
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(n) {
		return 0, false
	}
	switch value[len(number):] {
	case "em", "rem":
		n *= 16
	case "%", "vw", "vh":
		n *= 10 // of a screen of 1,000 pixels
	case "pt":
		n *= 4. / 3
	}
	return n, true
}

// paint is the colour of text and of what is behind it, as far as they are known.
type paint struct{ text, behind colour }

// over returns p in an element with the paint outer: what p does not say is inherited.
func (p paint) over(outer paint) paint {
	if p.text == 0 {
		p.text = outer.text
	}
	if p.behind == 0 {
		p.behind = outer.behind
	}
	return p
}

// invisible reports whether text has the colour of what is behind it.
func (p paint) invisible() bool { return p.text&known != 0 && p.text == p.behind }

// colour is a colour as 0x1rrggbb; 0 if nothing is said of it, and unclear if it is not known.
type colour uint32

const (
	known   colour = 1 << 24
	unclear colour = 1 << 25
)

// backgroundOf returns the colour of a background. A picture can lie over it: then it is not known.
func backgroundOf(value string) colour {
	if strings.Contains(value, "url(") || strings.Contains(value, "gradient(") {
		return unclear
	}
	c := colourOf(value)
	for word := range strings.FieldsSeq(value) {
		if c&known != 0 {
			break
		}
		if one := colourOf(word); one&known != 0 {
			c = one
		}
	}
	return c
}

// names are the colours of CSS 1, section 6.3.
var names = map[string]colour{
	"black": 0x000000, "silver": 0xc0c0c0, "gray": 0x808080, "grey": 0x808080, "white": 0xffffff, "maroon": 0x800000,
	"red": 0xff0000, "purple": 0x800080, "fuchsia": 0xff00ff, "green": 0x008000, "lime": 0x00ff00, "olive": 0x808000,
	"yellow": 0xffff00, "navy": 0x000080, "blue": 0x0000ff, "teal": 0x008080, "aqua": 0x00ffff,
}

// colourOf returns the colour that value names: in hexadecimal, as rgb() of three numbers, or by name.
func colourOf(value string) colour {
	value = strings.ToLower(strings.TrimSpace(value))
	switch value {
	case "", "inherit", "unset", "transparent", "none":
		return 0
	}
	if c, ok := names[value]; ok {
		return known | c
	}
	if digits, ok := strings.CutPrefix(value, "#"); ok {
		if len(digits) == 3 {
			digits = string([]byte{digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]})
		}
		if n, err := strconv.ParseUint(digits, 16, 32); err == nil && len(digits) == 6 {
			return known | colour(n)
		}
		return unclear
	}
	inner, ok := strings.CutPrefix(value, "rgb(")
	inner, closed := strings.CutSuffix(inner, ")")
	parts := strings.FieldsFunc(inner, func(r rune) bool { return r == ',' || r == ' ' })
	if !ok || !closed || len(parts) != 3 {
		return unclear
	}
	c := known
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 8)
		if err != nil {
			return unclear
		}
		c |= colour(n) << (16 - 8*i)
	}
	return c
}
