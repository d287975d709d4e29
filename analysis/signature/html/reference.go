package html

import (
	stdhtml "html"
	"strings"
	"sync"
	"unicode/utf8"
)

// Named references that need no semicolon: the references of HTML 2, which are all Latin-1
// characters from U+00A0 on, and a few more. The standard's table (13.5) has no others.
const (
	latin1 = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr " +
		"deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest " +
		"Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml " +
		"ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig " +
		"agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml " +
		"eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml"
	legacy = latin1 + " amp AMP lt LT gt GT quot QUOT COPY REG"
	// frequent lists common names that need a semicolon. The standard library decodes all
	// others, and allocates.
	frequent = "rsquo lsquo rdquo ldquo ndash mdash hellip bull trade euro apos ensp emsp thinsp zwnj zwj rarr larr"

	longestLegacy = len("frac14")
	longestName   = len("CounterClockwiseContourIntegral")
)

// names maps names to their text: with the semicolon ("eacute;", "rsquo;") and, where the
// standard allows it, without ("eacute").
var names = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for name := range strings.FieldsSeq(legacy) {
		all[name] = stdhtml.UnescapeString("&" + name)
	}
	for name := range strings.FieldsSeq(legacy + " " + frequent) {
		all[name+";"] = stdhtml.UnescapeString("&" + name + ";")
	}
	return all
})

// appendReference appends the text of the reference at the start of p (13.2.5.72 to 80), or
// "&" if there is no reference, and returns the number of bytes of p that this stands for.
func appendReference(dst, p []byte) (out []byte, size int) {
	if len(p) > 1 && p[1] == '#' {
		return appendNumeric(dst, p)
	}
	n := 1
	for n < len(p) && n <= longestName && (letter(p[n]) || digit(p[n])) {
		n++
	}
	table := names()
	if n < len(p) && p[n] == ';' {
		n++
		text, ok := table[string(p[1:n])]
		if !ok {
			text = stdhtml.UnescapeString(string(p[:n]))
		}
		return append(dst, text...), n
	}
	for n = min(n, 1+longestLegacy); n > 2; n-- {
		if text, ok := table[string(p[1:n])]; ok {
			return append(dst, text...), n
		}
	}
	return append(dst, '&'), 1
}

// appendNumeric is appendReference for "&#60;" and "&#x3c;".
func appendNumeric(dst, p []byte) (out []byte, size int) {
	i, base := 2, rune(10)
	if i < len(p) && p[i]|0x20 == 'x' {
		i, base = 3, 16
	}
	first, value := i, rune(0)
	for ; i < len(p); i++ {
		d := rune(0)
		switch c := p[i]; {
		case digit(c):
			d = rune(c - '0')
		case base == 16 && 'a' <= c|0x20 && c|0x20 <= 'f':
			d = rune(c|0x20-'a') + 10
		default:
			d = base
		}
		if d == base {
			break
		}
		value = min(value*base+d, utf8.MaxRune+1)
	}
	if i == first {
		return append(dst, '&'), 1
	}
	if i < len(p) && p[i] == ';' {
		i++
	}
	return utf8.AppendRune(dst, character(value)), i
}

// character returns the rune of a numeric reference: 0x80 to 0x9f mean windows-1252, and a
// number that is no character gives U+FFFD (13.2.5.80).
func character(value rune) rune {
	const windows = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"
	switch {
	case value == 0:
		return utf8.RuneError
	case 0x80 <= value && value <= 0x9f:
		return []rune(windows)[value-0x80]
	}
	return value // AppendRune writes U+FFFD for surrogates and beyond U+10FFFF
}
