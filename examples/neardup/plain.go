package main

import (
	"strconv"
	"strings"
	"unicode"
)

// plain is a name on one line; what a terminal would act upon, bytes that are not UTF-8, and
// what begins with a quote itself, are quoted as in Go, so that no name looks like another.
func plain(name string) string {
	if name == "" || name[0] == '"' || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return strconv.Quote(name)
	}
	return name
}

// oneLine is text without line breaks and what a terminal would act upon.
func oneLine(text string) string { return plain(strings.Join(strings.Fields(text), " ")) }
