// Command starts prints, for each directory of a package in which goroutines start, the directory, a tab and what go test -run needs to run the
// tests that may meet them: all of a package whose own code starts some, and otherwise those that start some themselves or by a helper.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	for _, dir := range os.Args[1:] {
		if pattern := pattern(dir); pattern != "" {
			fmt.Printf("%s\t%s\n", dir, pattern)
		}
	}
}

func pattern(dir string) string {
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	if len(files) == 0 {
		fmt.Fprintf(os.Stderr, "%s: wanted a directory with Go files\n", dir)
		os.Exit(1)
	}
	uses := map[string]map[string]bool{} // by function of a test file: the names in its body
	starts := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			names, goes := namesIn(f)
			if !strings.HasSuffix(name, "_test.go") {
				if goes {
					return "."
				}
				continue
			}
			if uses[f.Name.Name] == nil {
				uses[f.Name.Name] = map[string]bool{}
			}
			maps.Copy(uses[f.Name.Name], names)
			starts[f.Name.Name] = starts[f.Name.Name] || goes
		}
	}
	for grown := true; grown; {
		grown = false
		for f, names := range uses {
			for name := range names {
				if !starts[f] && starts[name] {
					starts[f], grown = true, true
				}
			}
		}
	}
	var tests []string
	for f := range starts {
		if starts[f] && (strings.HasPrefix(f, "Test") || strings.HasPrefix(f, "Example")) {
			tests = append(tests, f)
		}
	}
	if len(tests) == 0 {
		return ""
	}
	slices.Sort(tests)
	return "^(" + strings.Join(tests, "|") + ")$"
}

// namesIn returns the names in the body of a function, and whether goroutines start there.
func namesIn(f *ast.FuncDecl) (names map[string]bool, goes bool) {
	names = map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			goes = true
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) == 1 {
				goes = goes || slices.Contains([]string{"Go", "NewServer", "NewTLSServer", "RunParallel"}, s.Sel.Name)
			}
		case *ast.Ident:
			names[n.Name] = true
		}
		return true
	})
	return names, goes
}
