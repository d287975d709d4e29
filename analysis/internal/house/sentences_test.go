package house

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	fenced    = regexp.MustCompile("(?s)```.*?```")
	notText   = regexp.MustCompile(`(?m)^(?:    |\t|\||#).*$`) // code, tables, headings
	linked    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	inline    = regexp.MustCompile("`[^`]*`")
	paragraph = regexp.MustCompile(`\n\s*\n|\n\s*[-*] |\n\d+\. `)
	ending    = regexp.MustCompile("[.!?:]\\)?\\s+[A-Z\"(*\\[`]")
	anyWord   = regexp.MustCompile(`[\w'’-]+`)
)

// sentences returns the sentences of a text of at least two words. A colon ends a sentence if a capital follows.
func sentences(text string) (all []string) {
	text = notText.ReplaceAllString(fenced.ReplaceAllString(text, "\n\n"), "\n")
	text = inline.ReplaceAllString(linked.ReplaceAllString(text, "$1"), "Code")
	for _, p := range paragraph.Split(text, -1) {
		p = strings.Join(strings.Fields(p), " ")
		for p != "" {
			end := len(p)
			if at := ending.FindStringIndex(p); at != nil {
				end = at[1] - 1
			}
			if s := strings.TrimSpace(p[:end]); words(s) > 1 {
				all = append(all, s)
			}
			p = p[end:]
		}
	}
	return all
}

func words(s string) int { return len(anyWord.FindAllString(s, -1)) }

// Half of the sentences of README, of each page, and of all package comments have 20 words at most, and nine
// in ten have 30.
func TestSentences(t *testing.T) {
	texts := map[string][]string{}
	for _, pattern := range []string{"README.md", "examples/docs/*.md", "plugin/*/README.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || files == nil {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[file] = sentences(string(text))
		}
	}
	for _, s := range sources(t) {
		if !s.test() && s.file.Doc != nil {
			texts["package comments"] = append(texts["package comments"], sentences(s.file.Doc.Text())...)
		}
	}
	for name, all := range texts {
		if len(all) == 0 {
			continue
		}
		slices.SortFunc(all, func(a, b string) int { return cmp.Compare(words(a), words(b)) })
		median, ninth := all[len(all)/2], all[len(all)*9/10]
		if words(median) > 20 || words(ninth) > 30 {
			t.Errorf("%s: %d sentences, half of %d words or fewer, nine in ten of %d; wanted 20 and 30. The longest:", name, len(all), words(median), words(ninth))
			for _, s := range all[len(all)*9/10:] {
				t.Errorf("  %d: %s", words(s), s)
			}
		}
	}
}

func TestSentencesAreCut(t *testing.T) {
	text := "# A head\n\nOne two. `Three` four\nfive: Six (seven). [Of] makes\n\n- a list\n- another, e.g. this\n\n    code is none\n\n| nor | tables |\n"
	got := sentences(text)
	want := []string{"One two.", "Code four five:", "Six (seven).", "[Of] makes", "- a list", "another, e.g. this"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
