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

// A release says its version, any other build its revision.
func TestVersionOfBuild(t *testing.T) {
	t.Parallel()
	const revision = "0123456789abcdef0123456789abcdef01234567"
	setting := func(pairs ...string) (all []debug.BuildSetting) {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, debug.BuildSetting{Key: pairs[i], Value: pairs[i+1]})
		}
		return all
	}
	for _, c := range []struct {
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		{"v0.1.0", setting("vcs.revision", revision), "v0.1.0"},
		{"(devel)", setting("vcs.revision", revision, "vcs.modified", "false"), "devel 0123456789ab"},
		{"", setting("vcs.modified", "true", "vcs.revision", revision), "devel 0123456789ab, changed"},
		{"(devel)", setting("vcs.revision", "012"), "devel 012"},
		{"(devel)", nil, "devel"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.version}, Settings: c.settings}
		if got := versionsOf(info); got.Neardup != c.want || got.Bleve != "unknown" {
			t.Errorf("version %q, %v: got %+v, want %q and an unknown bleve", c.version, c.settings, got, c.want)
		}
	}
	if got := versionsOf(nil).Neardup; got != "devel" {
		t.Errorf("without information: got %q", got)
	}
	for want, m := range map[string]*debug.Module{
		"v2.6.1":                             {Version: "v2.6.1"},
		"v2.6.1, replaced by v2.6.2":         {Version: "v2.6.1", Replace: &debug.Module{Path: "example.com/bleve", Version: "v2.6.2"}},
		"v2.6.1, replaced by ../local/bleve": {Version: "v2.6.1", Replace: &debug.Module{Path: "../local/bleve"}},
	} {
		m.Path = bleveModule
		if got := versionsOf(&debug.BuildInfo{Deps: []*debug.Module{{Path: "example.com/other", Version: "v1.0.0"}, m}}).Bleve; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
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
