package main

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// sentenceCut is a way to cut a text into sentences. There is more than one way, and which pairs of sentences are
// alike depends on it: so there are several.
type sentenceCut struct {
	// name is what ends a sentence, for people.
	name string

	ends func(r rune, after string) bool
}

// sentenceCuts are the ways to cut.
var sentenceCuts = []sentenceCut{
	{"mark before a space", func(r rune, after string) bool { return mark(r, after) || emptyLine(r, after) }},
	{"line", func(r rune, _ string) bool { return r == '\n' }},
	{"mark or line", func(r rune, after string) bool { return mark(r, after) || r == '\n' }},
	{"paragraph", func(r rune, after string) bool { return emptyLine(r, after) }},
	{"any of .!?:;", func(r rune, _ string) bool { return strings.ContainsRune(".!?:;。！？：；", r) }},
}

// mark reports whether r ends a sentence: a mark before a space or the end, or a mark of Chinese or
// Japanese.
func mark(r rune, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	return strings.ContainsRune("。！？", r) || strings.ContainsRune(".!?", r) && (after == "" || unicode.IsSpace(next))
}

func emptyLine(r rune, after string) bool {
	return r == '\n' && strings.HasPrefix(strings.TrimLeft(after, " \t\r"), "\n")
}

// A sentence has so many words.
const (
	leastWords = 4
	mostWords  = 40
)

// far is how far into a text a first sentence can begin, in bytes.
const far = 8000

// first returns the folded words of the first sentence of text that has leastWords to mostWords words, or
// nil.
func (c sentenceCut) first(text string) []string {
	text = text[:min(len(text), far)]
	start := 0
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		end := at
		at += size
		if !c.ends(r, text[at:]) && at < len(text) {
			continue
		} else if at == len(text) {
			end = at
		}
		if words := folded(text[start:end], mostWords+1); len(words) >= leastWords && len(words) <= mostWords {
			return words
		}
		start = at
	}
	return nil
}

// folded returns the folded words of a text, at most n.
func folded(text string, n int) (all []string) {
	var s token.Words
	s.Reset([]byte(text))
	for word := s.Next(); word != nil && len(all) < n; word = s.Next() {
		all = append(all, string(word))
	}
	return all
}

// firsts returns the first sentences of texts, each once.
func (c sentenceCut) firsts(texts []string) (all [][]string) {
	seen := map[string]bool{}
	for _, t := range texts {
		words := c.first(t)
		if folded := strings.Join(words, " "); words != nil && !seen[folded] {
			seen[folded] = true
			all = append(all, words)
		}
	}
	return all
}

// oneEdit reports whether a becomes b by changing, adding or leaving out one word, or none.
func oneEdit(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	for len(a) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(b) <= 1
}
