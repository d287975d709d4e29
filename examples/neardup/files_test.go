package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
	"github.com/neardup/bleve-neardup/internal/neartest"
)

func TestCompare(t *testing.T) {
	dir := t.TempDir()
	docs := neartest.Shipped(t)
	byID := make(map[string]string)
	for _, d := range docs {
		byID[d.ID] = d.Text
	}
	for _, test := range []struct {
		a, b string
		code int
	}{
		{"llvm-13/LoopTerminology", "llvm-16/LoopTerminology", 0},
		{"llvm-13/Vectorizers", "llvm-16/LoopTerminology", 1},
	} {
		a, b := write(t, dir, "a.rst", byID[test.a]), write(t, dir, "b.rst", byID[test.b])
		var r comparison
		read(t, test.code, &r, "compare", "--explain", a, b)
		words := func(text string) (all []string) {
			for _, token := range token.Split([]byte(text)) {
				all = append(all, string(token.Term))
			}
			return all
		}
		x, y := neartest.Shingles(words(byID[test.a]), 4), neartest.Shingles(words(byID[test.b]), 4)
		if want := neartest.Resemblance(x, y); math.Abs(r.Explanation.Resemblance-want) > 1e-9 {
			t.Errorf("%s, %s: exact resemblance %v, want %v", test.a, test.b, r.Explanation.Resemblance, want)
		}
		if own := len(x) - r.Explanation.Shared; r.Explanation.OwnA != own || r.Sizes[0] != uint64(len(x)) {
			t.Errorf("%s: %d of %d shingles its own, want %d of %d", test.a, r.Explanation.OwnA, r.Sizes[0], own, len(x))
		}
		s, u := signature.Of(signature.DefaultParams(), []byte(byID[test.a])), signature.Of(signature.DefaultParams(), []byte(byID[test.b]))
		if m, ok := (signature.Rule{}).Match(&s, &u); ok != r.Duplicates || m != r.Match {
			t.Errorf("%s, %s: got %+v, %v, want %+v, %v", test.a, test.b, r.Match, r.Duplicates, m, ok)
		}
	}
	a := write(t, dir, "a.txt", fox)
	page := write(t, dir, "b.html", "<p>"+strings.Replace(fox, "the lazy", "a <i>lazy</i>", 1))
	stdout, _ := call(t, 1, "compare", "--explain", a, page)
	golden(t, "compare", stdout)
	if stdout, _ = callIn(t, 0, strings.ToUpper(fox), "compare", a, "-"); !strings.Contains(stdout, "near-duplicates (exact+sketch+simhash)") {
		t.Errorf("upper case: %s", stdout)
	}
	other := write(t, dir, "other.txt", strings.Replace(fox, "the lazy", "the 7 lazy", 1))
	for _, numbers := range []string{"any", "equal"} {
		if stdout, _ = call(t, 1, "compare", "--explain", "--signature", `{"numbers": "`+numbers+`"}`, a, other); strings.Contains(stdout, "The numbers differ") != (numbers == "equal") {
			t.Errorf("numbers %s: %s", numbers, stdout)
		}
	}
	short := write(t, dir, "short.txt", "two words")
	if stdout, _ = call(t, 1, "compare", a, short); !strings.Contains(stdout, "unknown: a text is shorter than a shingle") {
		t.Errorf("short text: %s", stdout)
	}
	nosuch := filepath.Join(dir, "nosuch")
	_, absent := os.Open(nosuch)
	if _, stderr := call(t, 1, "compare", a, nosuch); !strings.Contains(stderr, absent.Error()) {
		t.Errorf("no file: %s", stderr)
	}
}

// TestGroupFormats reads the JSON lines, and looks at the HTML.
func TestGroupFormats(t *testing.T) {
	stdout, _ := call(t, 0, "groups", "--json", manuals(t))
	docs := 0
	for line := range strings.Lines(stdout) {
		var c struct {
			Members []struct {
				Agree, Hamming int
				By             string
			}
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		for _, m := range c.Members {
			if m.By == "" || m.Agree < 90 && m.Hamming > 3 {
				t.Errorf("a member that is not within the rule: %+v", m)
			}
		}
		docs += 1 + len(c.Members)
	}
	if docs < 900 || docs > 1216 {
		t.Errorf("%d documents in groups, want most of 1216", docs)
	}
}

// A member of --text that no document has is told, as it is often misspelt. One that some have is not.
func TestAbsent(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "own.jsonl", `{"id": "a", "title": "x"}`+"\n"+`{"id": "b", "body": "y"}`)
	for text, want := range map[string]string{"title,bod": "ERROR", "title,body,abstract": "--text: none of them has a member [\"abstract\"]\n", "title,body": ""} {
		code := 0
		if want != "" {
			code = 1
		}
		if want == "ERROR" { // b has neither
			want = `strings are "body": choose with --text`
		}
		_, stderr := call(t, code, "index", filepath.Join(dir, text), path, "--text", text)
		if !strings.Contains(stderr, want) || want == "" && strings.Contains(stderr, "none of them") {
			t.Errorf("%s: %q, want %q", text, stderr, want)
		}
	}
}

// What is wrong is told, and no index of nothing is left; package documents has the cases.
func TestWrongData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	x, path := filepath.Join(dir, "x"), filepath.Join(dir, "own.jsonl")
	for lines, want := range map[string]string{
		`{"id": "a", "text": "x"}` + "\n\n{oops":           `:3: wanted a JSON object, got "{oops"`,
		`{"id": "a", "text": "x", "~neardup.sketch": "y"}`: "~neardup.sketch",
	} {
		write(t, dir, "own.jsonl", lines)
		if _, stderr := call(t, 1, "index", x, path); !strings.Contains(stderr, want) || !free(x) {
			t.Errorf("%s: stderr %q, want %q; is an index left? %t", lines, stderr, want, !free(x))
		}
	}
}
