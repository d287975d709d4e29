package main

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// shown is an entry of a page.
type shown struct {
	id     string
	copies []string
	also   string
	rest   int
	link   string // to what rest counts
}

func (s shown) project() string { p, _, _ := strings.Cut(s.id, "-"); return p }

func (s shown) version() int { return versionOf(s.id) }

// versionOf reads the version of a document of the manuals from its id, "llvm-16/Passes".
func versionOf(id string) int {
	_, after, _ := strings.Cut(id, "-")
	number, _, _ := strings.Cut(after, "/")
	n, _ := strconv.Atoi(number)
	return n
}

// walk reads the entries of all pages of a path.
func walk(t *testing.T, s *site, path string) (all []shown) {
	t.Helper()
	id := regexp.MustCompile(`<p class="meta"><span class="id">([^<]*)`)
	name := regexp.MustCompile(`<span class="name">([^<]*)`)
	also := regexp.MustCompile(`<span class="also">also in ([^<]*)`)
	rest := regexp.MustCompile(`<p class="more rest"><a href="([^"]*)" data-live-link>([\d,]+) other`)
	for page, pages := 1, 1; page <= pages; page++ {
		text := get(t, s, 200, fmt.Sprintf("%s&page=%d", path, page))
		pages = pagesOf(total(t, text))
		for _, entry := range strings.Split(text, `<li class="entry">`)[1:] {
			e := shown{id: id.FindStringSubmatch(entry)[1]}
			for _, m := range name.FindAllStringSubmatch(entry, -1) {
				e.copies = append(e.copies, m[1])
			}
			if m := also.FindStringSubmatch(entry); m != nil {
				e.also = m[1]
			}
			if m := rest.FindStringSubmatch(entry); m != nil {
				e.link = html.UnescapeString(m[1])
				e.rest, _ = strconv.Atoi(strings.ReplaceAll(m[2], ",", ""))
			}
			all = append(all, e)
		}
	}
	return all
}

// TestNewest compares all groups with those of the best-ranked heads: they are the same, in the
// same order, and each shows its newest version.
func TestNewest(t *testing.T) {
	t.Parallel()
	s := manuals()
	for _, path := range some([]string{"/?q=terminology&lanes=60", "/?q=thinlto", "/?q=safestack&project=clang"}) {
		ranked, newest := walk(t, s, path), walk(t, s, path+"&head=newest")
		if len(ranked) != len(newest) {
			t.Fatalf("%s: %d groups, want %d", path, len(newest), len(ranked))
		}
		changed := 0
		for i, got := range newest {
			want := ranked[i]
			members := append([]string{want.id}, want.copies...)
			if slices.Sort(members); !slices.Equal(members, slices.Sorted(slices.Values(append([]string{got.id}, got.copies...)))) {
				t.Errorf("%s: group %d has %q, want %q", path, i+1, append([]string{got.id}, got.copies...), members)
			}
			for _, id := range members {
				if versionOf(id) > got.version() {
					t.Errorf("%s: %s is shown, %s is newer", path, got.id, id)
				}
			}
			if got.id != want.id {
				changed++
			}
		}
		if changed == 0 {
			t.Errorf("%s: the newest is the best-ranked of all %d groups", path, len(newest))
		}
	}
}

// TestOne compares with the results without the switch: the first of each project is left, and
// each document is a head, a copy, or one of the rest, whose link leads to all of the project.
func TestOne(t *testing.T) {
	t.Parallel()
	s := manuals()
	for _, path := range some([]string{"/?q=thinlto", "/?q=safestack", "/?q=thinlto&version=14"}) {
		var want []string
		seen := make(map[string]bool)
		for _, e := range walk(t, s, path) {
			if !seen[e.project()] {
				seen[e.project()] = true
				want = append(want, e.id)
			}
		}
		var got []string
		docs := 0
		for _, e := range walk(t, s, path+"&per=project") {
			got = append(got, e.id)
			docs += 1 + len(e.copies) + e.rest
			if e.rest == 0 {
				t.Errorf("%s: nothing is folded under %s", path, e.id)
				continue
			}
			filtered := path + "&project=" + e.project()
			if got, want := total(t, get(t, s, 200, e.link)), total(t, get(t, s, 200, filtered)); got != want {
				t.Errorf("%s: %s has %d results, want the %d of %s", path, e.link, got, want, filtered)
			}
		}
		if !slices.Equal(got, want) || len(got) != 2 {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
		if all := total(t, get(t, s, 200, path+"&collapse=off")); docs != all {
			t.Errorf("%s: %d documents in all groups, want %d", path, docs, all)
		}
		// With both, the newest version of each project is shown.
		for _, e := range walk(t, s, path+"&per=project&head=newest") {
			if want := 16; e.version() != want && !strings.Contains(path, "version") {
				t.Errorf("%s: %s is shown, want one of version %d", path, e.id, want)
			}
		}
	}
}

// TestCardAlso compares what cards say with the ids of the copies.
func TestCardAlso(t *testing.T) {
	t.Parallel()
	for _, path := range some([]string{"/?q=thinlto", "/?q=thinlto&per=project"}) {
		named := 0
		for _, e := range walk(t, manuals(), path) {
			var versions []int
			for _, id := range e.copies {
				if strings.HasPrefix(id, e.project()) && !slices.Contains(versions, versionOf(id)) {
					versions = append(versions, versionOf(id))
				}
			}
			slices.Sort(versions)
			want := ""
			for _, v := range slices.Backward(versions) {
				want += ", " + strconv.Itoa(v)
			}
			if want = strings.Replace(want, ", ", e.project()+"-", 1); e.also != want {
				t.Errorf("%s: %s: got %q, want %q", path, e.id, e.also, want)
			}
			if want != "" {
				named++
			}
		}
		if named == 0 {
			t.Errorf("%s: no card says where the copies are", path)
		}
	}
}

func TestAlso(t *testing.T) {
	t.Parallel()
	of := func(project string, versions ...float64) (copies []copied) {
		for _, v := range versions {
			copies = append(copies, copied{doc: doc{Project: project, Version: v}})
		}
		return copies
	}
	for want, e := range map[string]entry{
		"":                                  {Copies: of("", 0, 0)},
		"llvm-15, 14, 13":                   {Copies: of("llvm", 13, 15, 14, 15)},
		"clang-16; llvm-16; gcc-9.5":        {Copies: slices.Concat(of("gcc", 9.5), of("llvm", 16), of("clang", 16))},
		"wiki":                              {Copies: of("wiki", 0, 0)},
		"wiki-2":                            {Copies: of("wiki", 0, 2)},
		"version 2, 1":                      {Copies: of("", 1, 2, 0)},
		"a-9, 8, 7, 6, 5, 4, 3, 2 and more": {Copies: slices.Concat(of("a", 1, 2, 3, 4, 5, 6, 7, 8, 9), of("b", 0))},
		"a-8, 7, 6, 5, 4, 3, 2, 1":          {Copies: of("a", 1, 2, 3, 4, 5, 6, 7, 8)},
		"a-1 and more":                      {Copies: of("a", 1), More: 1},
	} {
		if got := e.Also(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

const (
	headSwitch = `name="head" value="newest"`
	perSwitch  = `name="per" value="project"`
)

// TestSwitches checks which switches are there, and how they stand.
func TestSwitches(t *testing.T) {
	t.Parallel()
	s := manuals()
	for path, want := range map[string][]string{
		"/?q=terminology":                           {headSwitch + ">", perSwitch + ">"},
		"/?q=terminology&head=newest":               {headSwitch + " checked>", perSwitch + ">", `href="/?head=newest&amp;page=2&amp;q=terminology"`},
		"/?q=terminology&head=newest&per=":          {headSwitch + " checked>", perSwitch + ">"},
		"/?q=terminology&per=project":               {headSwitch + ">", perSwitch + " checked>", `href="/?project=clang&amp;q=terminology"`, `href="/?per=project&amp;q=terminology&amp;version=14"`},
		"/?q=terminology&per=project&project=clang": {perSwitch + " checked>", `title="Show all again"><span>clang</span> <span class="count">1<`},
		"/?q=terminology&per=project&collapse=off":  {headSwitch + " disabled>", perSwitch + " checked disabled>", `href="/?collapse=off&amp;page=2&amp;per=project&amp;q=terminology"`},
	} {
		page := get(t, s, 200, path)
		for _, text := range want {
			if !strings.Contains(page, text) {
				t.Errorf("%s: wanted %s in %.5000s", path, text, page)
			}
		}
	}
	if a, b := walk(t, s, "/?q=terminology&collapse=off&head=newest&per=project"), walk(t, s, "/?q=terminology&collapse=off"); !slices.EqualFunc(a, b, func(a, b shown) bool { return a.id == b.id }) {
		t.Error("without collapse, the other switches change what is shown")
	}
}

// TestOwnFields serves documents that have no projects or versions to choose between: there are
// no switches, and what a URL says of them is ignored. Documents without a project are in none.
func TestOwnFields(t *testing.T) {
	// own is a document: equal numbers have equal texts.
	type own struct {
		text   int
		fields string
	}
	serve := func(t *testing.T, docs []own) *site {
		t.Helper()
		var lines strings.Builder
		for i, d := range docs {
			text := strings.Repeat(fmt.Sprintf("fox%d fox other%d third%d ", d.text, d.text, d.text), 9)
			fmt.Fprintf(&lines, `{"id": "%d", "text": %q%s}`+"\n", i, text, d.fields)
		}
		path := filepath.Join(t.TempDir(), "own.jsonl")
		if err := os.WriteFile(path, []byte(lines.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return siteOf(openIndex(path))
	}
	for _, c := range []struct {
		name      string
		docs      []own
		head, per bool
		all, one  int // results, and those with one per project
	}{
		{"none", []own{{1, ""}, {2, ""}, {3, ""}}, false, false, 3, 3},
		{"one of each", []own{{1, `, "project": "a", "version": 1`}, {2, `, "project": "a", "version": 1`}, {3, ""}}, false, false, 3, 3},
		{"versions", []own{{1, `, "version": 1`}, {2, `, "version": 2`}, {3, ""}}, true, false, 3, 3},
		{"projects", []own{{1, `, "project": "a"`}, {2, `, "project": "b"`}, {3, `, "project": "b"`}, {4, ""}, {5, ""}}, false, true, 5, 4},
		{"copies", []own{{1, `, "project": "a"`}, {1, `, "project": "b"`}, {2, `, "project": "a"`}, {1, ""}}, false, true, 2, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, c.docs)
			page := get(t, s, 200, "/?q=fox")
			if strings.Contains(page, headSwitch) != c.head || strings.Contains(page, perSwitch) != c.per {
				t.Errorf("wanted the switches %v and %v in %s", c.head, c.per, page)
			}
			if got := total(t, page); got != c.all {
				t.Errorf("%d results, want %d", got, c.all)
			}
			if got := total(t, get(t, s, 200, "/?q=fox&head=newest&per=project")); got != c.one {
				t.Errorf("%d results with one per project, want %d", got, c.one)
			}
			status := map[bool]int{true: 400, false: 200}
			get(t, s, status[c.head], "/?head=x")
			get(t, s, status[c.per], "/?per=x")
		})
	}
}
