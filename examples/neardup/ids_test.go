package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin/batch/ondisk"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// Ids are any characters: those that index reads come out of all commands' JSON, and what JSON would
// change is an error before anything is written.
func TestOddIDs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var lines bytes.Buffer
	var want []string
	for i, id := range neartest.OddIDs(rand.New(rand.NewPCG(15, 16)), 10) {
		for _, own := range []string{id, "copy " + id} {
			want = append(want, own)
			text := fmt.Sprintf("text %d of many others %d %d %d that have few words in common %d %d", i, i*3, i*5, i*7, i*11, i*13)
			line, err := json.Marshal(map[string]any{"id": own, "text": text})
			if err != nil {
				t.Fatal(err)
			}
			lines.Write(append(line, '\n'))
		}
	}
	slices.Sort(want)
	file, path := filepath.Join(dir, "docs.jsonl"), filepath.Join(dir, "x")
	if err := os.WriteFile(file, lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	call(t, 0, "index", path, file)
	hold := func(command string, got []string) {
		t.Helper()
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: got %d ids, want %d, or others: %.300q", command, len(got), len(want), got)
		}
	}
	each := func(text string, v func() any) (all []any) {
		t.Helper()
		for line := range strings.Lines(text) {
			one := v()
			if err := json.Unmarshal([]byte(line), one); err != nil {
				t.Fatalf("%v: %.200s", err, line)
			}
			all = append(all, one)
		}
		return all
	}
	var got []string
	out, _ := call(t, 0, "groups", "--json", path)
	for _, c := range each(out, func() any { return new(near.Group) }) {
		got = append(got, c.(*near.Group).Head.ID)
		for _, m := range c.(*near.Group).Members {
			got = append(got, m.ID)
		}
	}
	hold("groups", got)

	unquoted := func(name string) string {
		if strings.HasPrefix(name, `"`) {
			id, err := strconv.Unquote(name)
			if err != nil {
				t.Errorf("%.60s: %v", name, err)
			}
			return id
		}
		return name
	}
	out, _ = call(t, 0, "groups", path)
	got = nil
	for i, line := range slices.Collect(strings.Lines(out)) {
		if i > 0 {
			got = append(got, unquoted(line[strings.Index(out, "DOCUMENT"):len(line)-1]))
		}
	}
	hold("groups as a table", got)

	var r collapse.Result
	read(t, 0, &r, "search", "--json", "--size", "1000", path, "text")
	got = nil
	for _, g := range r.Groups {
		got = append(got, g.Head.ID)
		for _, m := range g.Members {
			got = append(got, m.ID)
		}
	}
	hold("search", got)
	for _, hit := range r.Hits {
		if len(hit.ID) > 1000 || strings.Contains(hit.ID, "\x00") || strings.HasPrefix(hit.ID, "-") {
			continue // no argument of a command
		}
		var s near.SimilarResult
		read(t, 0, &s, "similar", "--json", path, hit.ID)
		if len(s.Hits) != 1 || strings.TrimPrefix(s.Hits[0].ID, "copy ") != strings.TrimPrefix(hit.ID, "copy ") {
			t.Errorf("similar %q: got %+v", hit.ID, s.Hits)
		}
	}

	list := filepath.Join(dir, "groups.jsonl")
	call(t, 0, "dedupe", "--groups", list, file)
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	for _, g := range each(string(text), func() any { return new(ondisk.Group) }) {
		got = append(append(got, g.(*ondisk.Group).Head), g.(*ondisk.Group).Members...)
	}
	hold("dedupe", got)

	for i, id := range []string{"\"a\x80\"", `{"base64":"!"}`, `""`} {
		bad, fresh := filepath.Join(dir, fmt.Sprint("bad", i, ".jsonl")), filepath.Join(dir, fmt.Sprint("fresh", i))
		if err := os.WriteFile(bad, []byte(`{"id":`+id+`,"text":"x"}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, stderr := call(t, 1, "index", fresh, bad); !strings.Contains(stderr, "wanted a string") {
			t.Errorf("%q: got %s", id, stderr)
		}
		if _, err := os.Stat(fresh); err == nil {
			t.Errorf("%q: there is an index", id)
		}
	}
}
