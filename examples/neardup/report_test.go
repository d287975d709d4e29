package main

import (
	"encoding/xml"
	"errors"
	"html"
	"io"
	"iter"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/groups"
)

// some are groups with names that a report must not let through as they are.
func some(broken error) iter.Seq2[groups.Group, error] {
	return func(yield func(groups.Group, error) bool) {
		first := groups.Group{
			Head: groups.Document{Index: "a&b", ID: "<script>alert(1)</script>", Tokens: 20},
			Members: []groups.Member{
				{Document: groups.Document{Index: "a&b", ID: "line\nfeed \x1b[31m"}, Match: signature.Match{Agree: 95, Hamming: 2, By: signature.BySketch | signature.BySimhash}, Resemblance: .954},
				{Document: groups.Document{ID: `" onclick="x`}, Match: signature.Match{Agree: 80, Hamming: 9}, Resemblance: .8},
			},
		}
		second := groups.Group{Head: groups.Document{ID: "Zürich 東京"}, Members: []groups.Member{}}
		if !yield(first, nil) || !yield(second, nil) {
			return
		}
		if broken != nil {
			yield(groups.Group{}, broken)
		}
	}
}

func TestWriteTable(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := writeTable(&out, some(nil)); err != nil {
		t.Fatal(err)
	}
	want := `GROUP  SIZE  RESEMBLANCE  LANES  HAMMING  BY                    DOCUMENT
1      3                                  head                  a&b <script>alert(1)</script>
1            0.95         95     2        sketch+simhash        a&b "line\nfeed \x1b[31m"
1            0.80         80     9        others                "\" onclick=\"x"
2      1                                  head                  Zürich 東京
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	out.Reset()
	none := func(func(groups.Group, error) bool) {}
	if err := writeTable(&out, none); err != nil || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("of no groups: %q, %v", out.String(), err)
	}
}

// The page is well-formed, refers to nothing outside, and escapes names.
func TestWriteHTML(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := writeHTML(&out, some(nil)); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	for _, no := range []string{"<script", "://", "src=", "onclick=\"x", "broke off"} {
		if strings.Contains(page, no) {
			t.Errorf("the page has %q", no)
		}
	}
	for _, yes := range []string{
		`<html lang="en">`, "color-scheme: light dark", `<th scope="row">`, "<caption>", "2 groups of 4 documents", "Zürich 東京", ": 1 document<", "0.95",
		"a&amp;b <bdi>&lt;script&gt;alert(1)&lt;/script&gt;</bdi>", "sketch&#43;simhash", "others",
	} {
		if !strings.Contains(page, yes) {
			t.Errorf("the page lacks %q:\n%s", yes, page)
		}
	}
	if got, want := text(page), []string{
		"Near-duplicates", "Near-duplicates",
		"1. a&b <script>alert(1)</script>: 3 documents", "Compared with a&b <script>alert(1)</script>, 20 tokens",
		"Document|Tokens|Resemblance|Lanes that agree|Hamming distance|By",
		`a&b "line\nfeed \x1b[31m"|0|0.95|95|2|sketch+simhash`, `"\" onclick=\"x"|0|0.80|80|9|others`,
		"2. Zürich 東京: 1 document", "Compared with Zürich 東京, 0 tokens",
		"Document|Tokens|Resemblance|Lanes that agree|Hamming distance|By",
		"2 groups of 4 documents.",
	}; !slices.Equal(got, want) {
		t.Errorf("the page says\n%q, want\n%q", got, want)
	}
	closed := regexp.MustCompile("<meta .*>").ReplaceAllString(strings.ReplaceAll(page, "\x1b", ""), "")
	dec := xml.NewDecoder(strings.NewReader(closed))
	for {
		if _, err := dec.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
	}
}

// text is what a page says, an element a line, with bars between the cells of a table.
func text(page string) (lines []string) {
	page = regexp.MustCompile(`(?s)<style>.*</style>`).ReplaceAllString(page, "")
	page = regexp.MustCompile(`</t[hd]><t[hd][^>]*>`).ReplaceAllString(page, "|")
	page = regexp.MustCompile(`\s+`).ReplaceAllString(page, " ")
	page = regexp.MustCompile(`</(title|h1|summary|caption|tr|p)>`).ReplaceAllString(page, "\n")
	page = regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, "")
	for line := range strings.Lines(page) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, html.UnescapeString(line))
		}
	}
	return lines
}

// full fails after some bytes.
type full int

func (f *full) Write(p []byte) (int, error) {
	if *f -= full(len(p)); *f < 0 {
		return 0, errFull
	}
	return len(p), nil
}

var errFull = errors.New("full")

// Errors of groups and of the writer come back, and end the iteration.
func TestWriteErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, write := range map[string]func(io.Writer, iter.Seq2[groups.Group, error]) error{
		"table": writeTable, "json": groups.WriteJSON, "html": writeHTML,
	} {
		var out strings.Builder
		if err := write(&out, some(broken)); !errors.Is(err, broken) || !strings.Contains(out.String(), "Zürich") {
			t.Errorf("%s: got %v after %q", name, err, out.String())
		}
		if name == "html" && (!strings.Contains(out.String(), "broke off here") || !strings.HasSuffix(out.String(), "</html>\n")) {
			t.Errorf("a page that broke off ends with %q", out.String()[max(0, out.Len()-200):])
		}
		n := 0
		endless := func(yield func(groups.Group, error) bool) {
			for n = 0; n < 100_000 && yield(groups.Group{Head: groups.Document{ID: "x"}}, nil); n++ {
			}
		}
		disk := full(10_000)
		if err := write(&disk, endless); !errors.Is(err, errFull) || n > 10_000 {
			t.Errorf("%s: got %v after %d groups", name, err, n)
		}
	}
}
