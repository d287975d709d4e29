// Package house holds no code, only the tests that keep the rules of CONTRIBUTING.md: documentation, layers,
// dependencies, and that the README shows code that runs.
package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	root   = "../../.."
	module = "github.com/neardup/bleve-neardup"
)

// source is one Go file of the repository.
type source struct {
	path string // from the root, with slashes
	file *ast.File
}

func (s source) dir() string  { return filepath.ToSlash(filepath.Dir(s.path)) }
func (s source) test() bool   { return strings.HasSuffix(s.path, "_test.go") }
func (s source) nested() bool { return strings.HasPrefix(s.path, "examples/") }

// public reports whether users can import the package.
func (s source) public() bool {
	return !s.nested() && !strings.Contains(s.path, "internal/") && s.file.Name.Name != "main"
}

func sources(t *testing.T) (all []source) {
	t.Helper()
	fset := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(fset, path, text, parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		all = append(all, source{filepath.ToSlash(rel), file})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestDocumented(t *testing.T) {
	all := sources(t)
	documented, example := map[string]bool{}, map[string]bool{}
	for _, s := range all {
		switch {
		case !s.public():
		case s.test():
			for _, d := range s.file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Example") {
					example[s.dir()] = true
				}
			}
		default:
			documented[s.dir()] = documented[s.dir()] || s.file.Doc != nil
			for _, d := range s.file.Decls {
				undocumented(t, s, d)
			}
		}
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s has no package comment", dir)
		}
		if !example[dir] && !strings.HasSuffix(dir, "test") {
			t.Errorf("%s has no runnable Example", dir)
		}
	}
}

// undocumented reports exported names without a comment.
func undocumented(t *testing.T, s source, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && (d.Recv == nil || exportedType(d.Recv.List[0].Type)) {
			t.Errorf("%s: %s has no comment", s.path, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() && d.Doc == nil && spec.Doc == nil {
					t.Errorf("%s: %s has no comment", s.path, spec.Name.Name)
				}
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					if name.IsExported() && d.Doc == nil && spec.Doc == nil && spec.Comment == nil {
						t.Errorf("%s: %s has no comment", s.path, name.Name)
					}
				}
			}
		}
	}
}

func exportedType(e ast.Expr) bool {
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	id, ok := e.(*ast.Ident)
	return ok && id.IsExported()
}

// layers are the folders from the highest to the lowest. A package may import
// only from its own layer or a lower one.
var layers = []string{
	"plugin", "plugin/indextype", "plugin/internal/signing", "plugin/internal/gate", "plugin/internal/marks", "plugin/internal/engine", "plugin/admission", "collapse/serve", "collapse", "internal", "internal/column", "internal/stored",
	"analysis/analyzer", "analysis/char", "analysis/token", "analysis/classic", "analysis/internal", "analysis/signature",
	"internal/codec", "internal/mappings", "internal/strict", "internal/weakmap",
}

func rank(dir string) int {
	best, length := -1, -1
	for i, l := range layers {
		if (dir == l || strings.HasPrefix(dir, l+"/")) && len(l) > length {
			best, length = i, len(l)
		}
	}
	return best
}

// Tests of bleve's root package are run with the index type, which must not import that package, by way of others either.
func TestIndexTypeWithoutRoot(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", root+"/plugin/indextype").Output()
	if err != nil {
		t.Fatal(err)
	}
	if slices.Contains(strings.Fields(string(out)), "github.com/blevesearch/bleve/v2") {
		t.Error("plugin/indextype imports bleve's root package")
	}
}

func TestLayers(t *testing.T) {
	all := sources(t)
	for _, s := range all {
		if s.test() || s.nested() {
			continue
		}
		own := rank(s.dir())
		if own < 0 {
			t.Errorf("%s lies in no known layer", s.path)
		}
		for _, spec := range s.file.Imports {
			path := strings.Trim(spec.Path.Value, `"`)
			if rel, ok := strings.CutPrefix(path, module+"/"); ok && rank(rel) < own {
				t.Errorf("%s imports %s, from a higher layer", s.path, rel)
			}
			bleve := strings.HasPrefix(path, "github.com/blevesearch/") && path != "github.com/blevesearch/mmap-go"
			if bleve && strings.HasPrefix(s.path, "analysis/signature/") {
				t.Errorf("%s imports %s: signatures do not know bleve", s.path, path)
			}
		}
	}
}

func TestDependencies(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{
		"github.com/RoaringBitmap/roaring/v2", "github.com/blevesearch/bleve/v2", "github.com/blevesearch/bleve_index_api",
		"github.com/blevesearch/mmap-go",
		"github.com/blevesearch/scorch_segment_api/v2", "github.com/blevesearch/zapx/v17", "github.com/cespare/xxhash/v2",
		"golang.org/x/net", "golang.org/x/sync", "golang.org/x/text",
	}
	for line := range strings.Lines(string(text)) {
		path, _, ok := strings.Cut(strings.TrimSpace(line), " v")
		if ok && !strings.Contains(line, "// indirect") && !slices.Contains(allowed, path) {
			t.Errorf("go.mod has the direct dependency %s; allowed are %q", path, allowed)
		}
	}
}

// docs are the pages under examples/docs, notes for bleve's maintainers included.
func docs() ([]string, error) {
	pages, err := filepath.Glob(filepath.Join(root, "examples/docs/*.md"))
	if err != nil {
		return nil, err
	}
	notes, err := filepath.Glob(filepath.Join(root, "examples/docs/upstream/*.md"))
	return append(pages, notes...), err
}

var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// Every Go block of the README, which has at least one, and of the pages under
// examples/docs is, but for indentation, in a test file: in an Example, which is run.
func TestPages(t *testing.T) {
	all := sources(t)
	var run []string
	for _, s := range all {
		if s.test() {
			run = append(run, flush(read(t, s.path)))
		}
	}
	pages, err := docs()
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages under examples/docs, error %v", err)
	}
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		path, err := filepath.Rel(root, page)
		if err != nil {
			t.Fatal(err)
		}
		blocks := goBlock.FindAllStringSubmatch(read(t, path), -1)
		if len(blocks) == 0 && path == "README.md" {
			t.Errorf("%s shows no Go", path)
		}
		for _, b := range blocks {
			if !slices.ContainsFunc(run, func(code string) bool { return strings.Contains(code, flush(b[1])) }) {
				t.Errorf("%s: this stands in no test:\n%s", path, b[1])
			}
		}
	}
}

// link finds the targets of links and pictures that lie in the repository.
var link = regexp.MustCompile(`\]\(([^():#]+)\)`)

// What the README, DESIGN, MEASURED and the pages link to is there.
func TestLinks(t *testing.T) {
	pages, err := docs()
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "DESIGN.md"), filepath.Join(root, "examples/docs/measured.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range link.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), l[1])); err != nil {
				t.Errorf("%s links to %s: %v", filepath.Base(page), l[1], err)
			}
		}
	}
}

// read returns a file of the repository, by its path from the root.
func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// flush takes the indentation off every line.
func flush(code string) string {
	var b strings.Builder
	for line := range strings.Lines(code) {
		fmt.Fprintln(&b, strings.TrimSpace(line))
	}
	return b.String()
}
