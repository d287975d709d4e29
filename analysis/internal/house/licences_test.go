package house

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	update   = flag.Bool("update", false, "write api.txt anew")
	everyone = flag.Bool("modules", false, "TestLicences looks at all modules of this repository, not the library alone: what they need is downloaded")
	list     = flag.String("licences", "", "a file that TestLicences writes its list to")
)

const licencesHead = `# Licences of dependencies

The modules that are linked into a package of this repository or into an example, each with the licence of its own
licence file. The licence of this repository is in LICENSE. The table of look-alikes is Unicode's: see
analysis/signature/skeleton/LICENSE-UNICODE.
`

// library is what the main module is called in the list.
const library = "the library"

// allowed are the licences of what may be linked.
var allowed = regexp.MustCompile(`^(Apache-2\.0|MIT|BSD-[23]-Clause|ISC|BSL-1\.1, now Apache-2\.0: .*)$`)

// TestLicences reads the licence files of all that is linked: each has to be allowed. With -v it prints the list of all modules.
func TestLicences(t *testing.T) {
	t.Parallel()
	licence, into := map[string]string{}, map[string][]string{} // by module
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
		user := filepath.ToSlash(rel)
		if user == "." {
			user = library
		} else if !*everyone {
			return nil
		}
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}\t{{.Dir}}{{end}}", "./...")
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Skipf("the modules of %s cannot be listed: %v", dir, err)
		}
		for _, line := range slices.Compact(slices.Sorted(strings.Lines(string(out)))) {
			name, at, ok := strings.Cut(strings.TrimSpace(line), "\t")
			if !ok || strings.HasPrefix(name, module) {
				continue
			}
			if into[name] == nil {
				licence[name] = licenceOf(t, at)
			}
			into[name] = append(into[name], user)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string][]string{} // modules by the heading under which they stand
	for _, name := range slices.Sorted(maps.Keys(into)) {
		users := into[name]
		if slices.Contains(users, library) {
			users = []string{library} // and so into the examples
		}
		heading := "\n## " + strings.Join(users, ", ") + ": " + licence[name] + "\n\n"
		parts[heading] = append(parts[heading], name)
	}
	var b strings.Builder
	b.WriteString(licencesHead)
	for _, heading := range slices.Sorted(maps.Keys(parts)) {
		b.WriteString(heading)
		for _, name := range parts[heading] {
			fmt.Fprintf(&b, "    %s\n", name)
		}
	}
	t.Log(b.String())
	if *list != "" {
		if err := os.WriteFile(*list, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if len(parts) == 0 {
		t.Error("nothing is linked: this test shows nothing")
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
	if !slices.ContainsFunc(found, allowed.MatchString) {
		t.Errorf("%s: licences %q: wanted one that is allowed", dir, found)
	}
	slices.Sort(found)
	return strings.Join(slices.Compact(found), " and ")
}
