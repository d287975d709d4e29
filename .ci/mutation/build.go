package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed mutant/mutant.go
var mutant []byte

// build is the library with all changes, and the binaries of its tests.
type build struct {
	work, root, module string
	changed            []string // packages
	sources            []*source
	changes            []*change    // change n is at n-1
	dropped            map[int]bool // changes that do not compile
	binaries           []binary
}

// binary has the tests of one package.
type binary struct {
	path, dir, name string
	more            bool // its package is one of -tests alone
}

type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	DepOnly                 bool
}

// load reads the packages and finds what can be changed.
func (b *build) load(packages []string) error {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Path}}\n{{.Dir}}").Output()
	if err != nil {
		return explained(err)
	}
	b.module, b.root, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
	out, err = exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly"}, packages...)...).Output()
	if err != nil {
		return explained(err)
	}
	exports := map[string]string{}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		exports[p.ImportPath] = p.Export
		if !p.DepOnly {
			all = append(all, p)
			b.changed = append(b.changed, p.ImportPath)
		}
	}
	for _, p := range all {
		if err := b.loadPackage(p, exports); err != nil {
			return err
		}
	}
	return nil
}

func (b *build) loadPackage(p listed, exports map[string]string) error {
	set := token.NewFileSet()
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	var files []*ast.File
	for _, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, file)
		rel, err := filepath.Rel(b.root, path)
		if err != nil {
			return err
		}
		b.sources = append(b.sources, &source{name: filepath.ToSlash(rel), text: string(text), set: set, file: file, info: info, changes: &b.changes, dropped: b.dropped})
	}
	conf := types.Config{Importer: importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	_, err := conf.Check(p.ImportPath, set, files, info)
	return err
}

// compile builds the tests of packages. It drops changes that do not compile.
func (b *build) compile(packages []string) error {
	for _, s := range b.sources {
		s.find()
	}
	out, err := exec.Command("go", append([]string{"list", "-f", "{{.ImportPath}} {{.Dir}}"}, packages...)...).Output()
	if err != nil {
		return explained(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		name, dir, _ := strings.Cut(line, " ")
		bin := binary{filepath.Join(b.work, fmt.Sprintf("%d.test", i)), dir, name, !slices.Contains(b.changed, name)}
		for {
			if err := b.overlay(); err != nil {
				return err
			}
			cmd := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", filepath.Join(b.work, "overlay.json"), "-o", bin.path, name)
			out, err := cmd.CombinedOutput()
			if err == nil {
				break
			}
			if !b.drop(string(out)) {
				return fmt.Errorf("%w\n%s", err, out)
			}
		}
		if _, err := os.Stat(bin.path); err == nil { // else it has no tests
			b.binaries = append(b.binaries, bin)
		}
	}
	return nil
}

// overlay writes the changed files.
func (b *build) overlay() error {
	replace := map[string]string{filepath.Join(b.root, "internal", "mutant", "mutant.go"): b.file("mutant.go")}
	if err := os.WriteFile(b.file("mutant.go"), mutant, 0o600); err != nil {
		return err
	}
	first := 0
	for i, s := range b.sources {
		if len(s.sites) == 0 {
			continue
		}
		path := b.file(fmt.Sprintf("%d.go", i))
		if err := os.WriteFile(path, []byte(s.rewritten(first, b.module+"/internal/mutant")), 0o600); err != nil {
			return err
		}
		replace[filepath.Join(b.root, s.name)] = path
		first = s.next
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(b.file("overlay.json"), data, 0o600)
}

func (b *build) file(name string) string { return filepath.Join(b.work, name) }

var (
	place = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):\d+: `)
	asks  = regexp.MustCompile(`mutant_\.\w+\((\d+)`)
)

// drop drops the changes in lines that the compiler complains about.
func (b *build) drop(complaints string) (some bool) {
	for _, at := range place.FindAllStringSubmatch(complaints, -1) {
		for i, s := range b.sources {
			if !strings.HasSuffix(at[1], filepath.Base(s.name)) {
				continue
			}
			text, err := os.ReadFile(b.file(fmt.Sprintf("%d.go", i)))
			if err != nil {
				continue
			}
			line, _ := strconv.Atoi(at[2])
			for _, n := range asks.FindAllStringSubmatch(strings.Split(string(text)+strings.Repeat("\n", line), "\n")[line-1], -1) {
				number, _ := strconv.Atoi(n[1])
				some = some || !b.dropped[number]
				b.dropped[number] = true
			}
		}
	}
	return some
}

// explained is the error of a command with what it said.
func explained(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("%w\n%s", err, exit.Stderr)
	}
	return err
}
