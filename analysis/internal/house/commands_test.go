package house

import (
	"go/ast"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// anyCommand finds the commands of pages and comments that run tests, benchmarks, fuzz targets or
// programs: in a code span, or on a line of their own. A span might have the end of a command alone.
var anyCommand = regexp.MustCompile("`((?:[A-Z_]+=\\S+ )?go (?:-C \\S+ )?(?:test|run) [^`]*|neardup [^`]*|-(?:run|bench|fuzz) [^`]*)`" +
	`|(?m)^(?:    |//\s+)((?:[A-Z_]+=\S+ )?go (?:-C \S+ )?(?:test|run) .*)$`)

// shellWord finds the words of a command, quoted or not.
var shellWord = regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`)

// beamFlags are flags of programs that are Beam's.
var beamFlags = []string{"runner"}

// goFlags are the flags of go test itself that pages use.
var goFlags = []string{"v", "short", "race", "count", "cpu", "tags", "timeout", "parallel", "benchtime", "fuzztime", "fuzzminimizetime", "args"}

// command is what a command names.
type command struct {
	program  bool // go run, else go test
	folders  []string
	patterns map[string]string // "Test", "Benchmark" or "Fuzz" -> pattern
	verb     string            // of a program that has several
	flags    []string
}

func parseCommand(text string) (c command) {
	c.patterns = map[string]string{}
	dir := "."
	text = strings.ReplaceAll(text, `\|`, "|")
	if rest, ok := strings.CutPrefix(text, "neardup "); ok {
		text = "go -C examples run ./neardup " + rest
	}
	words := shellWord.FindAllString(text, -1)
	for i := 0; i < len(words); i++ {
		next := func() string {
			i++
			return strings.Trim(words[min(i, len(words)-1)], `'"`)
		}
		flag, _, _ := strings.Cut(strings.TrimLeft(words[i], "-"), "=")
		switch word := words[i]; {
		case word == "&&" || word == "#" || word == ">" || word == "|":
			return c
		case word == "run" && len(c.folders) == 0:
			c.program = true
		case word == "-C":
			dir = next()
		case c.program && len(c.folders) > 0: // what the program is given
			if strings.HasPrefix(word, "-") {
				c.flags = append(c.flags, flag)
			} else if len(c.flags) == 0 && c.verb == "" {
				c.verb = word
			}
		case word == "-run":
			c.patterns["Test"] = next()
		case word == "-bench":
			c.patterns["Benchmark"] = next()
		case word == "-fuzz":
			c.patterns["Fuzz"] = next()
		case word == "." || strings.HasPrefix(word, "./"):
			c.folders = append(c.folders, path.Join(dir, strings.TrimSuffix(word, "/..."))+strings.Repeat("/...", strings.Count(word, "/...")))
		case strings.HasPrefix(word, "-") && !slices.Contains(goFlags, flag):
			c.flags = append(c.flags, flag)
		}
	}
	return c
}

// folder is what commands can name of a folder.
type folder struct {
	main  bool
	tests []string // functions of tests
	flags []string // of package flag
	texts []string // string literals of the program, which has its flags and verbs among them
}

// folders returns what is in each, and the flags that tests have of packages that they import.
func folders(t *testing.T) (all map[string]*folder, imported []string) {
	all = map[string]*folder{}
	for _, s := range sources(t) {
		f := all[s.dir()]
		if f == nil {
			f = new(folder)
			all[s.dir()] = f
		}
		if !s.test() {
			f.main = f.main || s.file.Name.Name == "main"
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if s.test() && n.Recv == nil {
					f.tests = append(f.tests, n.Name.Name)
				}
			case *ast.CallExpr:
				if of, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) > 0 {
					if x, ok := of.X.(*ast.Ident); ok && x.Name == "flag" {
						f.flags = append(f.flags, literal(n.Args[0]))
						if !s.test() {
							imported = append(imported, literal(n.Args[0]))
						}
					}
				}
			case *ast.BasicLit:
				if !s.test() {
					f.texts = append(f.texts, literal(n))
				}
			}
			return true
		})
	}
	return all, imported
}

// literal returns the text of a string literal, "" of anything else.
func literal(e ast.Expr) string {
	if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		text, _ := strconv.Unquote(lit.Value)
		return text
	}
	return ""
}

// said is a command and where it stands.
type said struct{ place, home, text string }

// commands are all that pages, and the comments of Go files, name.
func commands(t *testing.T) (all []said) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || file != root && strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if ext := filepath.Ext(file); d.IsDir() || ext != ".md" && ext != ".go" || d.Name() == "commands_test.go" {
			return nil
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		for _, m := range anyCommand.FindAllStringSubmatch(string(data), -1) {
			line, _, _ := strings.Cut(m[2], "   ") // what it does comes after it
			all = append(all, said{name, path.Dir(name), strings.Join(strings.Fields(m[1]+line), " ")})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Commands of pages and comments name folders, programs, tests and flags that are there: else they
// would run nothing, and pass.
func TestCommands(t *testing.T) {
	all, imported := folders(t)
	below := func(dir string) (some []*folder) {
		dir, deep := strings.CutSuffix(dir, "/...")
		for d, f := range all {
			if d == dir || deep && (dir == "." || strings.HasPrefix(d, dir+"/")) {
				some = append(some, f)
			}
		}
		return some
	}
	shared := below("examples/internal/...")
	has := func(some []*folder, ok func(*folder) bool) bool { return slices.ContainsFunc(some, ok) }
	checked := 0
	for _, s := range commands(t) {
		c := parseCommand(s.text)
		wrong := func(what string) { t.Errorf("%s: %s: there is no %s", s.place, s.text, what) }
		var there []*folder
		for _, dir := range c.folders {
			some := below(dir)
			if len(some) == 0 || dir == "." {
				some = below(path.Join(s.home, dir)) // the page is one of a module of its own
			}
			stat, err := os.Stat(filepath.Join(root, dir)) // of .ci, whose sources are not read
			if len(some) == 0 && (err != nil || !stat.IsDir()) {
				wrong("package " + dir)
			}
			there = append(there, some...)
		}
		if len(c.folders) == 0 {
			there = below("./...")
		}
		if len(there) == 0 {
			continue
		}
		checked++
		if c.program {
			if !has(there, func(f *folder) bool { return f.main }) {
				wrong("program")
			}
			there = append(there, shared...)
			words := c.flags
			if regexp.MustCompile(`^[a-z]+$`).MatchString(c.verb) {
				words = append(words, c.verb)
			}
			for _, word := range words {
				is := func(text string) bool { return text == word || strings.HasPrefix(text, word+" ") } // "groups INDEX"
				if !slices.Contains(beamFlags, word) && !has(there, func(f *folder) bool { return slices.ContainsFunc(f.texts, is) }) {
					wrong("flag or verb " + word)
				}
			}
			continue
		}
		for _, name := range c.flags {
			if !slices.Contains(imported, name) && !has(there, func(f *folder) bool { return slices.Contains(f.flags, name) }) {
				wrong("flag " + name)
			}
		}
		for kind, pattern := range c.patterns {
			pattern, _, _ = strings.Cut(pattern, "/") // subtests come after it
			if pattern == "^$" || pattern == "xxx" {
				continue
			}
			each := strings.Split(pattern, "|")
			if strings.Contains(pattern, "(") {
				each = []string{pattern}
			}
			for _, one := range each {
				re, err := regexp.Compile(one)
				if err != nil {
					t.Errorf("%s: %s: %v", s.place, s.text, err)
					continue
				}
				named := func(test string) bool { return strings.HasPrefix(test, kind) && re.MatchString(test) }
				if !has(there, func(f *folder) bool { return slices.ContainsFunc(f.tests, named) }) {
					wrong(kind + " named " + one)
				}
			}
		}
	}
	if checked < 120 {
		t.Errorf("%d commands found, wanted 120 or more: does this still read the pages?", checked)
	}
}

func TestParseCommand(t *testing.T) {
	c := parseCommand(`NEARDUP_DATA=../data go -C examples test -v -run 'Slow\|Long' ./spamgate ./internal/... -pages=3 -args -update && ls`)
	if c.program || len(c.folders) != 2 || c.folders[0] != "examples/spamgate" || c.folders[1] != "examples/internal/..." || c.patterns["Test"] != "Slow|Long" ||
		!slices.Equal(c.flags, []string{"pages", "update"}) {
		t.Errorf("got %+v", c)
	}
	c = parseCommand(`neardup groups --verify .8 x.bleve`)
	if !c.program || !slices.Equal(c.folders, []string{"examples/neardup"}) || c.verb != "groups" || !slices.Equal(c.flags, []string{"verify"}) {
		t.Errorf("got %+v", c)
	}
}
