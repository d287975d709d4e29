package main

import (
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

// What version prints is what the build has: bleve's version is the one of go.mod, and the format
// the one that FORMAT.md specifies.
func TestVersion(t *testing.T) {
	var got versions
	read(t, 0, &got, "version")
	if want := required(t, "../go.mod", `(?m)^\s*`+regexp.QuoteMeta(bleveModule)+` (\S+)`); got.Bleve != want && !strings.HasPrefix(got.Bleve, want+", replaced") {
		t.Errorf("bleve: got %q, want %q", got.Bleve, want)
	}
	if want := required(t, "../../analysis/signature/FORMAT.md", `\| 1 \| version: (\d+)`); strconv.Itoa(got.Format) != want {
		t.Errorf("signature format: got %d, want %s", got.Format, want)
	}
	if got.Go != runtime.Version() || got.Platform != runtime.GOOS+"/"+runtime.GOARCH || got.Neardup == "" {
		t.Errorf("got %+v", got)
	}

	text, _ := call(t, 0, "version")
	for _, want := range []string{"neardup     " + got.Neardup + "\n", "signatures  format " + strconv.Itoa(got.Format) + "\n", "bleve       " + got.Bleve + "\n", "go          " + got.Go} {
		if !strings.Contains(text, want) {
			t.Errorf("got\n%s\nwithout %q", text, want)
		}
	}
	if help, _ := call(t, 0, "--help"); !strings.Contains(help, "\n  version ") {
		t.Errorf("--help does not list version:\n%s", help)
	}
	call(t, 2, "version", "notes.bleve")
}

// A program that the linker says nothing of is a development one.
func TestVersionOfBuild(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{"v0.1.0": "v0.1.0", "(devel)": "devel", "": "devel"} {
		got := versionsOf(&debug.BuildInfo{Main: debug.Module{Version: version}})
		if got.Neardup != want || got.Bleve != "unknown" {
			t.Errorf("version %q: got %+v, want %q and an unknown bleve", version, got, want)
		}
	}
	if got := versionsOf(nil).Neardup; got != "devel" {
		t.Errorf("without information: got %q", got)
	}
}

// required returns what a pattern finds in a file.
func required(t *testing.T, file, pattern string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(pattern).FindSubmatch(text)
	if found == nil {
		t.Fatalf("%s has nothing like %s", file, pattern)
	}
	return string(found[1])
}
