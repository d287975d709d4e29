package adopt

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	historyafter "github.com/neardup/bleve-neardup/examples/adopt/history/after"
	historybefore "github.com/neardup/bleve-neardup/examples/adopt/history/before"
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
// and in whatever language its copies are. Hosts are counted as before.
func TestHistory(t *testing.T) {
	t.Parallel()
	before, err := historybefore.Create(t.TempDir(), "en", "de")
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	after, err := historyafter.Create(t.TempDir(), "en", "de")
	if err != nil {
		t.Fatal(err)
	}
	defer after.Close()
	const pages, visits = 13, 3
	var want []string
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, d := range distinct(t, pages) {
		for n := range visits {
			url := fmt.Sprintf("https://host%d.example/%d?visit=%d", n, i, n)
			language, at := []string{"en", "de"}[n%2], start.Add(time.Duration(n*pages+i)*time.Hour)
			text := "common " + d.Text
			if err := before.Add(language, url, historybefore.Visit{Title: d.Title, Body: text, Host: fmt.Sprint("host", n), Time: at}); err != nil {
				t.Fatal(err)
			}
			if err := after.Add(language, url, historyafter.Visit{Title: d.Title, Body: text, Host: fmt.Sprint("host", n), Time: at}); err != nil {
				t.Fatal(err)
			}
			if n == visits-1 {
				want = append(want, url)
			}
		}
	}
	slices.Reverse(want)

	var old, got []string
	for key := []string(nil); ; {
		page, err := before.Search("common", key)
		if err != nil {
			t.Fatal(err)
		}
		old = append(old, page.URLs...)
		if key = page.After; key == nil {
			break
		}
	}
	for key := []string(nil); ; {
		page, err := after.Search("common", key)
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
	if len(old) != pages*visits {
		t.Errorf("before: got %d visits, want %d", len(old), pages*visits)
	}
	if !slices.Equal(got, want) {
		t.Errorf("after: got %q, want %q", got, want)
	}
}

// The page shows exactly the lines that changed, at most 20.
func TestDiffs(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/adopt.md")
	if err != nil {
		t.Fatal(err)
	}
	const name = "history"
	read := func(when string) []string {
		text, err := os.ReadFile(name + "/" + when + "/" + name + ".go")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(string(text), "\n")
	}
	want := changed(read("before"), read("after"))
	if len(want) > 20 {
		t.Errorf("%s: %d lines changed, want 20 or fewer", name, len(want))
	}
	_, block, ok := strings.Cut(string(page), "```diff\n"+name+".go\n")
	block, _, _ = strings.Cut(block, "```")
	var got []string
	for line := range strings.Lines(block) {
		if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "-") || strings.HasPrefix(line, "+") {
			got = append(got, line)
		}
	}
	if !ok || !slices.Equal(got, want) {
		t.Errorf("adopt.md: %s: wanted\n%s\ngot\n%s", name, strings.Join(want, "\n"), block)
	}
}

// changed returns the lines of a that are not in b and those of b that are not in a, by a longest common
// subsequence, marked as diff marks them. Blank lines do not count.
func changed(a, b []string) (all []string) {
	same := make([][]int, len(a)+1)
	for i := range same {
		same[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			same[i][j] = max(same[i+1][j], same[i][j+1])
			if a[i] == b[j] {
				same[i][j] = same[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	add := func(sign, line string) {
		if line != "" {
			all = append(all, sign+line)
		}
	}
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && same[i+1][j] >= same[i][j+1]:
			add("-", a[i])
			i++
		default:
			add("+", b[j])
			j++
		}
	}
	return all
}
