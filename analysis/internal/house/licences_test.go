package house

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var (
	update   = flag.Bool("update", false, "write anew what tests keep true: api.txt and, with -modules, LICENSES.md")
	everyone = flag.Bool("modules", false, "TestLicences looks at all modules of this repository, not the library alone: what they need is downloaded")
)

const licencesHead = `# Licences of dependencies

Every module whose code is linked into a package of this repository or into an example, with
the licence that its own licence file has. A test keeps the list true;
` + "`go test -run Licences ./analysis/internal/house -args -modules -update`" + ` writes it anew. The licence of this
repository is in LICENSE, that of the table of look-alikes, which is Unicode's, in
analysis/signature/skeleton/LICENSE-UNICODE.

| module | licence | linked into |
|---|---|---|
`

// library is what the main module is called in the list.
const library = "the library"

// TestLicences compares LICENSES.md with the licence files of all that is linked.
func TestLicences(t *testing.T) {
	t.Parallel()
	type linked struct {
		licence string
		into    []string
	}
	all := map[string]*linked{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if d.Name() != "go.mod" {
			return nil
		}
		dir := filepath.Dir(path)
		rel, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		into := filepath.ToSlash(rel)
		if into == "." {
			into = library
		} else if !*everyone {
			return nil
		}
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}\t{{.Dir}}{{end}}", "./...")
		list.Dir, list.Stderr = dir, os.Stderr
		out, err := list.Output()
		if err != nil {
			t.Skipf("the modules of %s cannot be listed: %v", dir, err)
		}
		for _, line := range slices.Compact(slices.Sorted(strings.Lines(string(out)))) {
			name, at, ok := strings.Cut(strings.TrimSpace(line), "\t")
			if !ok || strings.HasPrefix(name, module) {
				continue
			}
			if all[name] == nil {
				all[name] = &linked{licence: licenceOf(t, at)}
			}
			all[name].into = append(all[name].into, into)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(licencesHead)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		into := all[name].into
		if slices.Contains(into, library) {
			into = []string{library} // and so into the examples
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, all[name].licence, strings.Join(into, ", "))
	}
	if *update && *everyone {
		if err := os.WriteFile(filepath.Join(root, "LICENSES.md"), []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got := read(t, "LICENSES.md")
	if !*everyone {
		got = strings.Join(slices.DeleteFunc(slices.Collect(strings.Lines(got)), func(line string) bool {
			return strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| module") && !strings.HasSuffix(line, "| "+library+" |\n")
		}), "")
	}
	if got != b.String() {
		t.Errorf("LICENSES.md is not what is linked; -args -modules -update writes it anew. It should be\n%s", &b)
	}
}

// licences are told by words that stand in no other.
var licences = []struct{ words, name string }{
	{"The Business Source License 1.1 (BSL) is one such license", "BSL-1.1, now Apache-2.0: see plugin/cluster/README.md"},
	{"Apache License", "Apache-2.0"},
	{"Mozilla Public License", "MPL-2.0"},
	{"GNU AFFERO", "AGPL"},
	{"GNU LESSER", "LGPL"},
	{"SIL OPEN FONT LICENSE", "OFL-1.1"},
	{"FreeType License", "FTL or GPL-2.0"},
	{"GNU GENERAL", "GPL"},
	{"Creative Commons Attribution 4.0", "CC-BY-4.0"},
	{"Permission is hereby granted, free of charge", "MIT"},
	{"ISC License", "ISC"},
	{"used to endorse or promote products", "BSD-3-Clause"},
	{"Redistribution and use in source and binary forms", "BSD-2-Clause"},
}

// licenceOf tells the licence of a module by the files of its root.
func licenceOf(t *testing.T, dir string) string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range files {
		name := strings.ToUpper(f.Name())
		if f.IsDir() || !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "COPYING") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		words := strings.Join(strings.Fields(string(text)), " ")
		for _, l := range licences {
			if strings.Contains(words, l.words) {
				found = append(found, l.name)
				break
			}
		}
	}
	if len(found) == 0 {
		t.Errorf("%s: no licence that this test knows", dir)
	}
	slices.Sort(found)
	return strings.Join(slices.Compact(found), " and ")
}
