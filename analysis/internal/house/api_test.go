package house

import (
	"bytes"
	"go/ast"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The exported names of all packages that users can import are those of api.txt, so that
// a change to the API is seen in a review, and none is made by accident. After an intended
// change: go test ./analysis/internal/house -run API -args -update
func TestAPI(t *testing.T) {
	var b strings.Builder
	packages := map[string][]*ast.File{}
	for _, s := range sources(t) {
		if s.public() && !s.test() && s.file.Name.Name != "main" {
			packages[s.dir()] = append(packages[s.dir()], s.file)
		}
	}
	for _, dir := range sorted(packages) {
		lines := exported(packages[dir])
		b.WriteString(dir + "\n")
		for _, line := range lines {
			b.WriteString("\t" + strings.ReplaceAll(line, "\n", "\n\t") + "\n")
		}
	}
	const name = "api.txt"
	if *update {
		if err := os.WriteFile(name, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text := read(t, filepath.ToSlash(filepath.Join("analysis/internal/house", name)))
	was, is := strings.Split(text, "\n"), strings.Split(b.String(), "\n")
	for _, line := range is {
		if !slices.Contains(was, line) {
			t.Errorf("%s lacks %q", name, line)
		}
	}
	for _, line := range was {
		if !slices.Contains(is, line) {
			t.Errorf("%s has %q, which the source has not", name, line)
		}
	}
	if !t.Failed() && text != b.String() {
		t.Errorf("%s is out of order", name)
	}
}

// exported prints the exported declarations of a package without comments and bodies, in
// alphabetical order.
func exported(files []*ast.File) (lines []string) {
	// Positions decide where the printer breaks lines: without a file set it breaks none.
	fset := token.NewFileSet()
	show := func(n any) string {
		var b bytes.Buffer
		if err := printer.Fprint(&b, fset, n); err != nil {
			return err.Error()
		}
		return b.String()
	}
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && (d.Recv == nil || exportedType(d.Recv.List[0].Type)) {
					lines = append(lines, show(&ast.FuncDecl{Recv: d.Recv, Name: d.Name, Type: d.Type}))
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						if spec.Name.IsExported() {
							lines = append(lines, "type "+spec.Name.Name+" "+show(onlyExported(spec)))
						}
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							if name.IsExported() {
								lines = append(lines, d.Tok.String()+" "+name.Name)
							}
						}
					}
				}
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// onlyExported returns the type of a declaration with its exported fields and methods alone.
func onlyExported(spec *ast.TypeSpec) ast.Expr {
	trim := func(fields *ast.FieldList) *ast.FieldList {
		out := &ast.FieldList{}
		for _, f := range fields.List {
			var names []*ast.Ident
			for _, n := range f.Names {
				if n.IsExported() {
					names = append(names, ast.NewIdent(n.Name))
				}
			}
			if len(names) > 0 || len(f.Names) == 0 {
				out.List = append(out.List, &ast.Field{Names: names, Type: f.Type, Tag: f.Tag})
			}
		}
		return out
	}
	switch x := spec.Type.(type) {
	case *ast.StructType:
		return &ast.StructType{Fields: trim(x.Fields)}
	case *ast.InterfaceType:
		return &ast.InterfaceType{Methods: trim(x.Methods)}
	}
	return spec.Type
}

func sorted[V any](m map[string]V) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
