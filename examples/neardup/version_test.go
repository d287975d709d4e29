package main

import (
	"os"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

// What --version prints is what the build has: bleve's version is the one of go.mod, and the format the one that
// FORMAT.md specifies. A program that the linker says nothing of is a development one.
func TestVersion(t *testing.T) {
	t.Parallel()
	text, _ := call(t, 0, "--version")
	for _, want := range []string{
		"neardup ", "\nsignatures of format " + required(t, "../../analysis/signature/FORMAT.md", `\| 1 \| version: (\d+)`) + "\n",
		"\nbleve " + required(t, "../go.mod", `(?m)^\s*github.com/blevesearch/bleve/v2 (\S+)`), "\ngo1.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("got\n%s\nwithout %q", text, want)
		}
	}
	for main, want := range map[string]string{"v0.1.0": "v0.1.0", "(devel)": "devel", "": "devel"} {
		if got := version(&debug.BuildInfo{Main: debug.Module{Version: main}}); !strings.HasPrefix(got, "neardup "+want+"\n") || !strings.Contains(got, "bleve unknown\n") {
			t.Errorf("version %q: got %s", main, got)
		}
	}
	if got := version(nil); !strings.HasPrefix(got, "neardup devel\n") {
		t.Errorf("without information: got %s", got)
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
