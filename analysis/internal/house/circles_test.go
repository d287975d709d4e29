package house

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// largestCircle is how many files of a package may need each other: a noun with its parts.
const largestCircle = 6

// knots are the packages that are not there yet, with the circle they have. A number here
// only ever gets smaller.
var knots = map[string]int{}

// A package whose files all need each other has no place where reading can begin. In a
// circle each file uses, directly or through others, a declaration, a method or a field of
// every other one.
func TestCircles(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range sources(t) {
		dir := s.dir()
		if s.test() || seen[dir] {
			continue
		}
		seen[dir] = true
		circle := circleOf(t, dir)
		limit := max(largestCircle, knots[dir])
		switch {
		case len(circle) > limit:
			t.Errorf("%s: %d files need each other, at most %d may: %s", dir, len(circle), limit, strings.Join(circle, " "))
		case len(circle) < knots[dir]:
			t.Errorf("%s: %d files need each other: knots still allows it %d", dir, len(circle), knots[dir])
		}
	}
	for dir := range knots {
		if !seen[dir] {
			t.Errorf("knots names %s, which is no package", dir)
		}
	}
}

// A circle that is there is found, and so is one by a method and by a field.
func TestCircleIsFound(t *testing.T) {
	edges := map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d"}}
	if got := fmt.Sprint(circle(edges)); got != "[a b c]" {
		t.Errorf("got %s, wanted [a b c]", got)
	}
	for _, body := range []string{"func two() { one{}.method() }", "func two() { _ = one{}.field }", "func two() { _ = one{} }"} {
		fset, files := token.NewFileSet(), []*ast.File(nil)
		for name, text := range map[string]string{
			"one.go": "package p\ntype one struct{ field int }\nfunc (one) method() { two() }",
			"two.go": "package p\n" + body,
		} {
			f, err := parser.ParseFile(fset, name, text, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		if got := fmt.Sprint(circle(uses(fset, files))); got != "[one.go two.go]" {
			t.Errorf("%s: got %s", body, got)
		}
	}
}

// circleOf returns the largest circle of files of a package, without tests and without
// what stands for one processor alone.
func circleOf(t *testing.T, dir string) []string {
	t.Helper()
	fset, files := token.NewFileSet(), []*ast.File(nil)
	paths, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_amd64.go") {
			continue
		}
		f, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return circle(uses(fset, files))
}

// uses lists for each file the files whose declarations, methods and fields it uses. Of
// other packages nothing is loaded, so only what is of this one is resolved.
func uses(fset *token.FileSet, files []*ast.File) map[string][]string {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	config := types.Config{Importer: nothing{}, Error: func(error) {}, FakeImportC: true}
	pkg, _ := config.Check("p", fset, files, info) // errors are of other packages
	file := func(p token.Pos) string { return filepath.Base(fset.Position(p).Filename) }
	edges := map[string][]string{}
	for id, o := range info.Uses {
		if o.Pkg() != pkg || !o.Pos().IsValid() {
			continue
		}
		_, method := o.(*types.Func)
		v, variable := o.(*types.Var)
		if o.Parent() != pkg.Scope() && !method && !(variable && v.IsField()) {
			continue
		}
		if from, to := file(id.Pos()), file(o.Pos()); from != to && !slices.Contains(edges[from], to) {
			edges[from] = append(edges[from], to)
		}
	}
	return edges
}

// nothing imports packages without what is in them.
type nothing struct{}

var _ types.Importer = nothing{}

func (nothing) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return importer.Default().Import(path)
	}
	p := types.NewPackage(path, filepath.Base(strings.TrimSuffix(path, "/v2")))
	p.MarkComplete()
	return p, nil
}

// circle returns the largest strongly connected component of more than one member (Tarjan
// 1972), sorted, or nothing.
func circle(edges map[string][]string) (largest []string) {
	index, low := map[string]int{}, map[string]int{}
	var stack []string
	var visit func(v string)
	visit = func(v string) {
		index[v] = len(index) + 1
		low[v] = index[v]
		stack = append(stack, v)
		for _, w := range edges[v] {
			if index[w] == 0 {
				visit(w)
				low[v] = min(low[v], low[w])
			} else if slices.Contains(stack, w) {
				low[v] = min(low[v], index[w])
			}
		}
		if low[v] < index[v] {
			return
		}
		at := slices.Index(stack, v)
		if n := len(stack) - at; n > 1 && n > len(largest) {
			largest = slices.Sorted(slices.Values(stack[at:]))
		}
		stack = stack[:at]
	}
	for _, v := range sorted(edges) {
		if index[v] == 0 {
			visit(v)
		}
	}
	return largest
}
