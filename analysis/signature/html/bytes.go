package html

import (
	"bytes"
	"unicode/utf8"
)

// delimits says whether a byte ends the name of a tag: white space, "/" or ">" (13.2.5.8).
// The name of an attribute also ends at equals (13.2.5.33).
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

// inText says of the bytes of text which end it, and which are, or might be, in a word.
var inText = func() (table [256]uint8) {
	for c := range table {
		switch b := byte(c); {
		case b == '<', b == '&':
			table[c] = marks
		case letter(b), digit(b):
			table[c] = wordly
		case b >= utf8.RuneSelf:
			table[c] = foreign
		}
	}
	return table
}()

const (
	marks   uint8 = 1 << iota // it starts markup or a reference
	wordly                    // a letter or a digit
	foreign                   // of a character beyond ASCII
)

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func digit(c byte) bool { return '0' <= c && c <= '9' }

// through returns the length of p up to and including the first c, or of all of p.
func through(p []byte, c byte) int {
	if n := bytes.IndexByte(p, c); n >= 0 {
		return n + 1
	}
	return len(p)
}

// skip returns the position after the white space at i.
func skip(src []byte, i int) int {
	for i < len(src) && delimits[src[i]] == space {
		i++
	}
	return i
}
