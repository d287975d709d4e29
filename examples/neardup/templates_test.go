package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/templates"
)

// TestTemplates learns the footers of two lists, looks at them, uses them, and signs again.
func TestTemplates(t *testing.T) {
	dir := t.TempDir()
	var lines strings.Builder
	for _, list := range []string{"roses", "lilies"} {
		for i := range 15 {
			text := fmt.Sprintf("mail %d has %d roses in %d beds of %d\n%s", i, i*i, i+100, i+200, strings.Repeat("you get this mail because you subscribed to the list of "+list+"\n", 3))
			line, err := json.Marshal(map[string]any{"id": fmt.Sprint(list, i), "text": text})
			if err != nil {
				t.Fatal(err)
			}
			lines.Write(append(line, '\n'))
		}
	}
	x, y := filepath.Join(dir, "x.bleve"), filepath.Join(dir, "y.bleve")
	call(t, 0, "index", x, write(t, dir, "mails.jsonl", lines.String()))
	stdout, stderr := call(t, 0, "templates", "learn", x)
	if !strings.Contains(stdout, "(no scope): 30 documents and 0 copies, ") || !strings.Contains(stdout, "in 15 documents: you get this mail because") ||
		!strings.Contains(stderr, "1 scopes with a template, 0 without; of 30 documents that were read, the text of 0 is not stored") {
		t.Errorf("learn: %s%s", stdout, stderr)
	}
	found, _ := call(t, 0, "templates", "learn", "--json", x)
	file := filepath.Join(dir, "found.json")
	if err := os.WriteFile(file, []byte(found), 0o600); err != nil {
		t.Fatal(err)
	}
	if stdout, _ := call(t, 0, "templates", "show", x); stdout != "nothing is left out\n" {
		t.Errorf("show: %s", stdout)
	}
	if stdout, _ := call(t, 0, "templates", "use", x, file); !strings.HasPrefix(stdout, "(no scope): ") {
		t.Errorf("use: %s", stdout)
	}
	var r audit
	read(t, 0, &r, "check", x)
	if r.Before != 30 || r.Right != 0 || len(r.Findings) > 0 {
		t.Errorf("check: got %+v, want all signed before", r)
	}
	call(t, 0, "backfill", x, y)
	read(t, 0, &r, "check", y)
	var used templates.Templates
	read(t, 0, &used, "templates", "show", y)
	if r.Before != 0 || r.Right != 30 || len(used.Scopes) != 1 {
		t.Errorf("after backfill: got %+v and %+v", r, used)
	}
	if _, stderr := call(t, 1, "backfill", "--signature", `{"seed": 7}`, x, filepath.Join(dir, "z.bleve")); !strings.Contains(stderr, "Options.Fresh") {
		t.Errorf("another seed: %s", stderr)
	}
	if stdout, _ := call(t, 0, "templates", "drop", y); stdout != "nothing is left out\n" {
		t.Errorf("drop: %s", stdout)
	}
	if _, stderr := call(t, 1, "templates", "use", x, write(t, dir, "other.json", "{}")); !strings.Contains(stderr, "wanted a scope that has a template, got none") {
		t.Errorf("use of another file: %s", stderr)
	}
}

// TestTemplatesOfMarks: what is marked is not learned, and is warned of. A passage can be taken out.
func TestTemplatesOfMarks(t *testing.T) {
	dir := t.TempDir()
	const spam = "buy the cheapest watches in the whole world from us now because nobody else has so many of them for so little money today"
	const footer = "you get this mail because you subscribed to the list of those who grow roses in the rain"
	var lines strings.Builder
	for i := range 40 {
		text := fmt.Sprintf("mail %d has %d roses in %d beds of %d\n", i, i*i, i+100, i+200)
		if i%2 == 0 {
			text += spam + fmt.Sprintf("\n%d and %d and %d and %d and %d and %d\n", i*7, i*77, i*777, i*7777, i*77777, i*777777)
		}
		line, err := json.Marshal(map[string]any{"id": fmt.Sprint(i), "text": text + footer})
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	path := filepath.Join(dir, "x.bleve")
	call(t, 0, "index", path, write(t, dir, "mails.jsonl", lines.String()))
	found, _ := call(t, 0, "templates", "learn", "--json", path)
	x, err := plugin.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	inner, err := plugin.Of(x)
	if err != nil {
		t.Fatal(err)
	}
	if err := inner.MarkText(t.Context(), "watches", admission.Spam, spam); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if stdout, _ := call(t, 0, "templates", "learn", path); !strings.Contains(stdout, "(no scope): not learned, since it is of the mark watches: 24 words in 20 documents: buy the") {
		t.Errorf("learn: %s", stdout)
	}
	file := write(t, dir, "found.json", found)
	const warning = "warning: (no scope): 24 words are of the mark watches, and are left out of signatures: buy the"
	if _, stderr := call(t, 0, "templates", "use", path, file); !strings.Contains(stderr, warning) {
		t.Errorf("use: %s", stderr)
	}
	if _, stderr := call(t, 0, "templates", "use", "--without", spam, path, file); strings.Contains(stderr, "warning") {
		t.Errorf("use --without: %s", stderr)
	}
	shown, _ := call(t, 0, "templates", "show", "--json", path)
	if _, stderr := call(t, 1, "templates", "use", "--without", spam, path, write(t, dir, "shown.json", shown)); !strings.Contains(stderr, "--without: wanted a passage of a template") {
		t.Errorf("use --without what is not there: %s", stderr)
	}
}
