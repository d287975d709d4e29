package html

import (
	stdhtml "html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The second half of the oracle: comments, declarations, raw text, scripts
// and references.

func (s *standard) bogusComment() state { // 13.2.5.41
	switch s.next() {
	case '>':
		return s.leave()
	case eof:
		return s.leave()
	}
	return (*standard).bogusComment
}

// leave returns to the content after a comment, which ends a run of text.
func (s *standard) leave() state {
	s.flush()
	if s.pos > len(s.in) {
		return nil
	}
	return s.data
}

func (s *standard) markupDeclarationOpen() state { // 13.2.5.42
	rest := s.in[s.pos:]
	switch {
	case strings.HasPrefix(rest, "--"):
		s.pos += 2
		return (*standard).commentStart
	case strings.HasPrefix(rest, "[CDATA["): // as in foreign content
		s.pos += len("[CDATA[")
		s.flush()
		s.last = "cdata"
		return (*standard).cdataSection
	}
	return (*standard).bogusComment // a doctype also ends with the first ">"
}

func (s *standard) cdataSection() state { // 13.2.5.69 to 71
	if strings.HasPrefix(s.in[s.pos:], "]]>") {
		s.pos += 3
		s.flush()
		s.last = ""
		return s.data
	}
	c := s.next()
	if c == eof {
		return nil
	}
	s.text(byte(c))
	return (*standard).cdataSection
}

func (s *standard) commentStart() state { // 13.2.5.43
	switch s.next() {
	case '-':
		return (*standard).commentStartDash
	case '>':
		return s.leave()
	}
	return s.back((*standard).comment)
}

func (s *standard) commentStartDash() state { // 13.2.5.44
	switch s.next() {
	case '-':
		return (*standard).commentEnd
	case '>', eof:
		return s.leave()
	}
	return s.back((*standard).comment)
}

func (s *standard) comment() state { // 13.2.5.45; 46 to 49 are parse errors
	switch s.next() {
	case '-':
		return (*standard).commentEndDash
	case eof:
		return s.leave()
	}
	return (*standard).comment
}

func (s *standard) commentEndDash() state { // 13.2.5.50
	switch s.next() {
	case '-':
		return (*standard).commentEnd
	case eof:
		return s.leave()
	}
	return s.back((*standard).comment)
}

func (s *standard) commentEnd() state { // 13.2.5.51
	switch s.next() {
	case '>', eof:
		return s.leave()
	case '!':
		return (*standard).commentEndBang
	case '-':
		return (*standard).commentEnd
	}
	return s.back((*standard).comment)
}

func (s *standard) commentEndBang() state { // 13.2.5.52
	switch s.next() {
	case '-':
		return (*standard).commentEndDash
	case '>', eof:
		return s.leave()
	}
	return s.back((*standard).comment)
}

// endTagHere takes the end tag of the open element if the input has it after its "<"
// (13.2.5.9 to 11, and likewise 12 to 14, 15 to 17).
func (s *standard) endTagHere() state {
	if n := s.named("/" + s.last); n > 0 {
		s.pos += n
		s.name, s.end, s.self = s.last, true, false
		return s.back((*standard).tagName)
	}
	return nil
}

// named returns the number of characters of the mark and the delimiter after it.
func (s *standard) named(mark string) int {
	rest := s.in[s.pos:]
	n := len(mark)
	if len(rest) <= n || !isSpace(int(rest[n])) && rest[n] != '/' && rest[n] != '>' {
		return 0
	}
	for i := range n {
		if lowered(int(rest[i])) != mark[i:i+1] {
			return 0
		}
	}
	return n + 1
}

func (s *standard) rawtext() state { // 13.2.5.2, 3
	c := s.next()
	if c == eof {
		return nil
	}
	if c == '<' {
		if tag := s.endTagHere(); tag != nil {
			return tag
		}
	}
	s.text(byte(c))
	return s.data
}

func (s *standard) scriptData() state { // 13.2.5.4, 15 to 19
	switch c := s.next(); c {
	case eof:
		return nil
	case '<':
		if strings.HasPrefix(s.in[s.pos:], "!--") {
			s.pos += 3
			s.buffer = "--"
			return (*standard).scriptEscaped
		}
		if tag := s.endTagHere(); tag != nil {
			return tag
		}
	}
	return (*standard).scriptData
}

func (s *standard) scriptEscaped() state { // 13.2.5.20 to 26
	c := s.next()
	switch {
	case c == eof:
		return nil
	case c == '>' && strings.HasSuffix(s.buffer, "--"):
		return (*standard).scriptData
	case c == '<':
		if tag := s.endTagHere(); tag != nil {
			return tag
		}
		if n := s.named("script"); n > 0 {
			s.pos += n
			s.buffer = ""
			return (*standard).scriptDoubleEscaped
		}
	}
	s.buffer += string([]byte{byte(c)})
	return (*standard).scriptEscaped
}

func (s *standard) scriptDoubleEscaped() state { // 13.2.5.27 to 31
	c := s.next()
	switch {
	case c == eof:
		return nil
	case c == '>' && strings.HasSuffix(s.buffer, "--"):
		return (*standard).scriptData
	case c == '<':
		if n := s.named("/script"); n > 0 {
			s.pos += n
			s.buffer = ""
			return (*standard).scriptEscaped
		}
	}
	s.buffer += string([]byte{byte(c)})
	return (*standard).scriptDoubleEscaped
}

// decode replaces the references in a run of text.
func decode(run string) string {
	var b strings.Builder
	for run != "" {
		n := 1
		if run[0] == '&' && len(run) > 1 {
			alnum := func(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
			if run[1] == '#' {
				n = 2
			}
			for n < len(run) && alnum(run[n]) {
				n++
			}
			if n < len(run) && run[n] == ';' {
				n++
			}
		}
		piece := run[:n]
		run = run[n:]
		if strings.HasPrefix(piece, "&#") {
			b.WriteString(number(piece[2:]))
		} else {
			b.WriteString(stdhtml.UnescapeString(piece))
		}
	}
	return b.String()
}

// number decodes a numeric reference, given the text after "&#"; the standard library's
// overflows.
func number(p string) string {
	base, set, mark := 10, "0123456789", ""
	if p != "" && (p[0] == 'x' || p[0] == 'X') {
		base, set, mark, p = 16, "0123456789abcdefABCDEF", p[:1], p[1:]
	}
	digits := p[:len(p)-len(strings.TrimLeft(p, set))]
	if digits == "" {
		return "&#" + mark + p
	}
	v, err := strconv.ParseInt(digits, base, 64)
	r := rune(v)
	switch {
	case err != nil || v == 0 || v > utf8.MaxRune || 0xd800 <= v && v < 0xe000:
		r = utf8.RuneError
	case 0x80 <= v && v <= 0x9f:
		r, _ = utf8.DecodeRuneInString(stdhtml.UnescapeString("&#" + strconv.Itoa(int(v)) + ";"))
	}
	return string(r) + strings.TrimPrefix(p[len(digits):], ";")
}
