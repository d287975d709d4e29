package house

import (
	_ "embed"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// known are words that are right and that the dictionary lacks: terms of the field, and names.
//
//go:embed known.txt
var known string

var (
	// notProse is what a dictionary cannot know: addresses, paths, names with _ or a dot, words cut short, code.
	notProse = regexp.MustCompile(`\S+[/_\\@#]\S*|\S*[<>{}=$^|]\S*|\w+\.\w[\w.]*|\w+\.\.\.|\w+\(`)
	// indented is a block of code in a comment or a page.
	indented = regexp.MustCompile(`(?m)^(    |\t).*$`)
	word     = regexp.MustCompile(`\b[A-Za-z]+(?:'[a-rt-z]+)?\b`)
	named    = regexp.MustCompile(`[a-z][A-Z]|^[A-Z]+$|^[A-Z]+s$`) // an identifier or an abbreviation
)

// spelled returns the words of a text that a dictionary is asked about.
func spelled(text string) []string {
	text = indented.ReplaceAllString(text, "")
	text = notProse.ReplaceAllString(quoted.ReplaceAllString(text, " "), " ")
	return slices.DeleteFunc(word.FindAllString(text, -1), func(w string) bool {
		return len(w) < 4 || named.MatchString(w)
	})
}

// Comments and pages are spelled right, in British English, by aspell's dictionary and known.txt.
func TestSpelling(t *testing.T) {
	if _, err := exec.LookPath("aspell"); err != nil {
		t.Skip("no aspell: apt-get install aspell aspell-en")
	}
	where := make(map[string]string)
	visitProse(t, func(path, text string) {
		for _, w := range spelled(text) {
			where[w] = path
		}
	})
	all := slices.Sorted(func(yield func(string) bool) {
		for w := range where {
			if !yield(w) {
				return
			}
		}
	})
	aspell := exec.CommandContext(t.Context(), "aspell", "list", "--lang=en_GB-ise", "--encoding=utf-8")
	aspell.Stdin = strings.NewReader(strings.Join(all, "\n"))
	out, err := aspell.Output()
	if err != nil {
		t.Fatalf("aspell: %v", err)
	}
	right := strings.Fields(known)
	if !slices.IsSorted(right) {
		t.Error("known.txt: wanted sorted words")
	}
	for _, w := range strings.Fields(string(out)) {
		if !slices.Contains(right, strings.ToLower(w)) {
			t.Errorf("%s: %q is in no dictionary: correct it, or add it to known.txt", where[w], w)
		}
	}
}

// Code and names are not asked about.
func TestSpelled(t *testing.T) {
	got := strings.Join(spelled("The `indx` of MaxShare, a.b.Name and plugin/x, don't:\n\n    cde code\n\nXMLs see wrnog."), " ")
	if want := "don't wrnog"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
