package history

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/examples/docsearch/corpus"
)

// doc is a page of the manuals that come with the examples.
type doc struct {
	ID, Project, Path, Title, Text string
	Version                        int
}

func docs(t *testing.T) (all []doc) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(corpus.Lines))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var d doc
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// distinct are the first n pages of one release with at least 200 words, cut to these.
func distinct(t *testing.T, n int) (all []doc) {
	for _, d := range docs(t) {
		if words := strings.Fields(d.Text); d.Version == 16 && len(words) >= 200 && len(all) < n {
			d.Text = strings.Join(words[:200], " ")
			all = append(all, d)
		}
	}
	if len(all) != n {
		t.Fatalf("got %d pages, want %d", len(all), n)
	}
	return all
}

// Each page that was visited stands once in the history, at its newest visit, on whatever page of results
// and in whatever language its copies are. Hosts are counted as without neardup.
func TestHistory(t *testing.T) {
	t.Parallel()
	h, err := Create(t.TempDir(), "en", "de")
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	const pages, visits = 13, 3
	var want, got []string
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, d := range distinct(t, pages) {
		for n := range visits {
			url := fmt.Sprintf("https://host%d.example/%d?visit=%d", n, i, n)
			language, at := []string{"en", "de"}[n%2], start.Add(time.Duration(n*pages+i)*time.Hour)
			if err := h.Add(language, url, Visit{Title: d.Title, Body: "common " + d.Text, Host: fmt.Sprint("host", n), Time: at}); err != nil {
				t.Fatal(err)
			}
			if n == visits-1 {
				want = append(want, url)
			}
		}
	}
	slices.Reverse(want)
	for key := []string(nil); ; {
		page, err := h.Search("common", key)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, page.URLs...)
		if page.Hosts["host0"] != pages || len(page.Hosts) != visits {
			t.Errorf("hosts: got %v, want %d of each of %d", page.Hosts, pages, visits)
		}
		if key = page.After; key == nil {
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The page shows all lines that make of a program without neardup this one, at most 20: undone, what is left builds, and
// is without neardup.
func TestDiff(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/adopt.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("history.go")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(page), "```diff\nhistory.go\n")
	block, _, _ = strings.Cut(block, "```")
	var undone, removed string
	left, changed := string(source), 0
	for line := range strings.Lines(block) {
		sign, text := line[:1], line[1:]
		if sign == "-" || sign == "+" {
			changed++
		}
		switch at := strings.Index("\n"+left, "\n"+text); {
		case sign == "-":
			removed += text
		case strings.TrimSpace(line) == "...":
		case at < 0:
			t.Fatalf("adopt.md: %q is not in history.go, or not in this order", line)
		case sign == "+":
			undone, left, removed = undone+left[:at]+removed, left[at+len(text):], ""
		default:
			undone, left = undone+left[:at+len(text)], left[at+len(text):]
		}
	}
	if undone += left; changed == 0 || changed > 20 || removed != "" || strings.Contains(undone, "neardup") {
		t.Errorf("adopt.md: %d lines changed, want 1 to 20, and no neardup in\n%s", changed, undone)
	}
	before, overlay := filepath.Join(t.TempDir(), "history.go"), filepath.Join(t.TempDir(), "overlay.json")
	here, err := filepath.Abs("history.go")
	if err != nil {
		t.Fatal(err)
	}
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{here: before}})
	if err := errors.Join(err, os.WriteFile(before, []byte(undone), 0o600), os.WriteFile(overlay, replaced, 0o600)); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-overlay", overlay, ".").CombinedOutput(); err != nil {
		t.Errorf("without neardup: %v: %s", err, out)
	}
}
