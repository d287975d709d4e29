package html

import "strings"

// standard is the oracle: the states of the HTML standard's tokenizer, one character at a
// time. Each state is a method, named as in section 13.2.5, that consumes the next
// character and returns the next state. States that differ only in parse errors are one.
type standard struct {
	in   string
	pos  int
	data state // of the content that is open
	last string

	name      string // of the tag
	end, self bool
	buffer    string

	run   string // text whose references are not decoded yet
	out   strings.Builder
	depth int // of templates
}

type state func(*standard) state

const eof = -1

func (s *standard) next() int {
	s.pos++
	if s.pos > len(s.in) {
		return eof
	}
	return int(s.in[s.pos-1])
}

// back reconsumes the last character in another state.
func (s *standard) back(to state) state { s.pos--; return to }

func (s *standard) text(c ...byte) { s.run += string(c) }

// naive returns what Text should return.
func naive(in string) string {
	s := &standard{in: in, data: (*standard).content}
	for st := s.data; st != nil; {
		st = st(s)
	}
	s.flush()
	return s.out.String()
}

// flush writes the text before a tag.
func (s *standard) flush() {
	decoded := s.run
	if s.last == "" || s.last == "title" || s.last == "textarea" {
		decoded = decode(s.run)
	}
	visible := s.last == "" || s.last == "title" || s.last == "textarea" || s.last == "xmp" || s.last == "plaintext" || s.last == "cdata"
	if s.depth == 0 && visible {
		s.out.WriteString(decoded)
	}
	s.run = ""
}

// emit does for a tag what tree construction does, as far as text is concerned.
func (s *standard) emit() state {
	s.flush()
	if traitsOf([]byte(s.name))&boundary != 0 && s.depth == 0 && s.out.Len() > 0 && !strings.HasSuffix(s.out.String(), "\n") {
		s.out.WriteString("\n")
	}
	s.data, s.last = (*standard).content, ""
	switch {
	case s.name == "template" && s.end:
		s.depth = max(0, s.depth-1)
	case s.end || s.self:
	case s.name == "template":
		s.depth++
	default:
		switch s.name {
		case "title", "textarea", "style", "xmp", "iframe", "noembed", "noframes", "noscript":
			s.data, s.last = (*standard).rawtext, s.name
		case "script":
			s.data, s.last = (*standard).scriptData, s.name
		case "plaintext":
			s.data, s.last = (*standard).plaintext, s.name
		}
	}
	return s.data
}

func isSpace(c int) bool { return c == '\t' || c == '\n' || c == '\f' || c == '\r' || c == ' ' }
func isAlpha(c int) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func lowered(c int) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, string([]byte{byte(c)}))
}

func (s *standard) content() state { // 13.2.5.1 Data state
	switch c := s.next(); c {
	case '<':
		return (*standard).tagOpen
	case eof:
		return nil
	default:
		s.text(byte(c))
		return s.data
	}
}

func (s *standard) plaintext() state { // 13.2.5.5
	c := s.next()
	if c == eof {
		return nil
	}
	s.text(byte(c))
	return s.data
}

func (s *standard) tagOpen() state { // 13.2.5.6
	switch c := s.next(); {
	case c == '!':
		return (*standard).markupDeclarationOpen
	case c == '/':
		return (*standard).endTagOpen
	case isAlpha(c):
		s.name, s.end, s.self = "", false, false
		return s.back((*standard).tagName)
	case c == '?':
		return s.back((*standard).bogusComment)
	default:
		s.text('<')
		return s.back(s.data)
	}
}

func (s *standard) endTagOpen() state { // 13.2.5.7
	switch c := s.next(); {
	case isAlpha(c):
		s.name, s.end, s.self = "", true, false
		return s.back((*standard).tagName)
	case c == '>':
		s.flush()
		return s.data
	case c == eof:
		s.text('<', '/')
		return nil
	default:
		return s.back((*standard).bogusComment)
	}
}

func (s *standard) tagName() state { // 13.2.5.8
	switch c := s.next(); {
	case isSpace(c):
		return (*standard).beforeAttributeName
	case c == '/':
		return (*standard).selfClosing
	case c == '>':
		return s.emit()
	case c == eof:
		return nil
	default:
		s.name += lowered(c)
		return (*standard).tagName
	}
}

func (s *standard) beforeAttributeName() state { // 13.2.5.32
	switch c := s.next(); {
	case isSpace(c):
		return (*standard).beforeAttributeName
	case c == '/' || c == '>' || c == eof:
		return s.back((*standard).afterAttributeName)
	case c == '=':
		return (*standard).attributeName
	default:
		return s.back((*standard).attributeName)
	}
}

func (s *standard) attributeName() state { // 13.2.5.33
	switch c := s.next(); {
	case isSpace(c) || c == '/' || c == '>' || c == eof:
		return s.back((*standard).afterAttributeName)
	case c == '=':
		return (*standard).beforeAttributeValue
	default:
		return (*standard).attributeName
	}
}

func (s *standard) afterAttributeName() state { // 13.2.5.34
	switch c := s.next(); {
	case isSpace(c):
		return (*standard).afterAttributeName
	case c == '/':
		return (*standard).selfClosing
	case c == '=':
		return (*standard).beforeAttributeValue
	case c == '>':
		return s.emit()
	case c == eof:
		return nil
	default:
		return s.back((*standard).attributeName)
	}
}

func (s *standard) beforeAttributeValue() state { // 13.2.5.35
	switch c := s.next(); {
	case isSpace(c):
		return (*standard).beforeAttributeValue
	case c == '"':
		return (*standard).doubleQuoted
	case c == '\'':
		return (*standard).singleQuoted
	case c == '>':
		return s.emit()
	default:
		return s.back((*standard).unquoted)
	}
}

func (s *standard) doubleQuoted() state { return s.quoted('"', (*standard).doubleQuoted) }  // 13.2.5.36
func (s *standard) singleQuoted() state { return s.quoted('\'', (*standard).singleQuoted) } // 13.2.5.37

func (s *standard) quoted(quote int, same state) state {
	switch c := s.next(); c {
	case quote:
		return (*standard).beforeAttributeName // 13.2.5.39 differs in a parse error
	case eof:
		return nil
	}
	return same
}

func (s *standard) unquoted() state { // 13.2.5.38
	switch c := s.next(); {
	case isSpace(c):
		return (*standard).beforeAttributeName
	case c == '>':
		return s.emit()
	case c == eof:
		return nil
	}
	return (*standard).unquoted
}

func (s *standard) selfClosing() state { // 13.2.5.40
	switch c := s.next(); c {
	case '>':
		s.self = true
		return s.emit()
	case eof:
		return nil
	}
	return s.back((*standard).beforeAttributeName)
}
