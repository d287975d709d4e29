package house

import (
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// testCommand finds the commands of pages that run tests, benchmarks or fuzz targets, in a
// code span or on an indented line.
var testCommand = regexp.MustCompile("`(go (?:-C \\S+ )?test [^`]*)`|(?m)^    (go (?:-C \\S+ )?test .*)$")

// shellWord finds the words of a command, quoted or not.
var shellWord = regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`)

// command is what a test command names: folders from the root, and patterns by the kind of
// function that they select.
type command struct {
	folders  []string
	patterns map[string]string // "Test", "Benchmark" or "Fuzz" -> pattern
}

func parseCommand(text string) (c command) {
	c.patterns = map[string]string{}
	dir := "."
	words := shellWord.FindAllString(strings.ReplaceAll(text, `\|`, "|"), -1)
	for i := 1; i < len(words); i++ {
		next := func() string {
			i++
			return strings.Trim(words[min(i, len(words)-1)], `'"`)
		}
		switch word := words[i]; {
		case word == "-C":
			dir = next()
		case word == "-run":
			c.patterns["Test"] = next()
		case word == "-bench":
			c.patterns["Benchmark"] = next()
		case word == "-fuzz":
			c.patterns["Fuzz"] = next()
		case word == "." || strings.HasPrefix(word, "./"):
			c.folders = append(c.folders, path.Join(dir, strings.TrimSuffix(word, "/..."))+strings.Repeat("/...", strings.Count(word, "/...")))
		case word == "&&" || word == "-args":
			return c
		}
	}
	return c
}

// Commands of pages name folders and tests that are there: else they would run nothing, and
// pass.
func TestCommands(t *testing.T) {
	names := map[string][]string{} // of functions of tests, by folder
	for _, s := range sources(t) {
		names[s.dir()] = append(names[s.dir()], "")
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && s.test() && f.Recv == nil {
				names[s.dir()] = append(names[s.dir()], f.Name.Name)
			}
		}
	}
	var pages []string
	for _, pattern := range []string{"*.md", "examples/docs/*.md", "plugin/*/README.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	checked := 0
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(root, page)
		if err != nil {
			t.Fatal(err)
		}
		home := ""
		if strings.HasPrefix(filepath.ToSlash(name), "plugin/") { // commands are run there
			home = path.Dir(filepath.ToSlash(name))
		}
		for _, m := range testCommand.FindAllStringSubmatch(string(data), -1) {
			text := strings.Join(strings.Fields(m[1]+m[2]), " ")
			c := parseCommand(text)
			var there []string
			for _, folder := range c.folders {
				dir, below := strings.CutSuffix(folder, "/...")
				if home != "" && !strings.HasPrefix(dir, "plugin/") {
					dir = path.Join(home, dir)
				}
				any := false
				for d, all := range names {
					if d == dir || below && (dir == "." || strings.HasPrefix(d, dir+"/")) {
						there, any = append(there, all...), true
					}
				}
				if stat, err := os.Stat(filepath.Join(root, dir)); !any && (err != nil || !stat.IsDir() || dir == ".") {
					t.Errorf("%s: %s: there is no package %s", name, text, dir)
				}
			}
			for kind, pattern := range c.patterns {
				if pattern == "^$" || pattern == "xxx" || len(there) == 0 {
					continue
				}
				checked++
				all, _, _ := strings.Cut(pattern, "/") // subtests come after it
				each := strings.Split(all, "|")
				if strings.Contains(all, "(") {
					each = []string{all}
				}
				for _, one := range each {
					re, err := regexp.Compile(one)
					if err != nil {
						t.Errorf("%s: %s: %v", name, text, err)
						continue
					}
					if !slices.ContainsFunc(there, func(f string) bool { return strings.HasPrefix(f, kind) && re.MatchString(f) }) {
						t.Errorf("%s: %s: no %s is named %s", name, text, kind, one)
					}
				}
			}
		}
	}
	if checked < 50 {
		t.Errorf("%d patterns found, wanted 50 or more: does this still read the pages?", checked)
	}
}

func TestParseCommand(t *testing.T) {
	c := parseCommand(`go -C examples test -v -run 'Slow\|Long' ./spamgate ./internal/... && ls`)
	if len(c.folders) != 2 || c.folders[0] != "examples/spamgate" || c.folders[1] != "examples/internal/..." || c.patterns["Test"] != "Slow|Long" {
		t.Errorf("got %q", c)
	}
}
