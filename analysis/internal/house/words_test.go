package house

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// banned are phrases that readers misread or that are another language's, with what to
// write instead.
var banned = []struct {
	phrase  *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\bmay not\b`), "might not, or must not"},
	{regexp.MustCompile(`(?i)\b(hold|holds|held|holding)( \S+){0,4} against\b`), "compare with, judge by"},
	{regexp.MustCompile(`(?i)\bat hand\b`), "local, in this process, present"},
	{regexp.MustCompile(`(?i)\belsewhere\b`), "remote, in another place"},
	{regexp.MustCompile(`(?i)\bwhoever\b`), "code that, a caller that"},
	{regexp.MustCompile(`(?i)\bmended\b`), "fixed"},
	{regexp.MustCompile(`(?i)\bas far as can be told\b`), "if known"},
	{regexp.MustCompile(`(?i)\bhangs? on\b`), "depends on"},
}

// quoted is what stands in quotes or as code: others' words, and names.
var quoted = regexp.MustCompile("(?s)```.*?```|`[^`]*`|\"[^\"]*\"")

// wrong returns the banned phrases of a text, each with what to write instead.
func wrong(text string) (all []string) {
	text = strings.Join(strings.Fields(quoted.ReplaceAllString(text, "''")), " ")
	for _, b := range banned {
		for _, found := range b.phrase.FindAllString(text, -1) {
			all = append(all, found+": "+b.instead)
		}
	}
	return all
}

// visitProse calls f with each comment of a Go file and each paragraph of a page.
func visitProse(t *testing.T, f func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path := filepath.ToSlash(strings.TrimPrefix(file, root+string(filepath.Separator)))
		switch {
		case d.IsDir() && file != root && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"testdata", "corpus"}, d.Name())):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		switch filepath.Ext(path) {
		case ".go":
			file, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			for _, c := range file.Comments {
				f(path, c.Text())
			}
		case ".md":
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			for paragraph := range strings.SplitSeq(string(text), "\n\n") {
				f(path, paragraph)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Comments and pages have no phrase that is always wrong.
func TestWords(t *testing.T) {
	visitProse(t, func(path, text string) {
		for _, phrase := range wrong(text) {
			t.Errorf("%s: %s", path, phrase)
		}
	})
}

// A phrase is found over the end of a line, and not where it is quoted.
func TestWordsAreFound(t *testing.T) {
	for text, want := range map[string]int{
		"A member may\nnot stay, and is held to be\nagainst it.": 2,
		"say \"may not\" or `at hand`":                           0,
		"It might not; the handler is elsewhere's.":              1,
		"It must not stay.":                                      0,
	} {
		if got := wrong(text); len(got) != want {
			t.Errorf("%q: got %q, want %d phrases", text, got, want)
		}
	}
}
