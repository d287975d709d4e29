package clusters_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"iter"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/clusters"
)

// some are clusters with names that a report must not let through as they are.
func some(broken error) iter.Seq2[clusters.Cluster, error] {
	return func(yield func(clusters.Cluster, error) bool) {
		first := clusters.Cluster{
			Head: clusters.Document{Index: "a&b", ID: "<script>alert(1)</script>", Tokens: 20},
			Members: []clusters.Member{
				{Document: clusters.Document{Index: "a&b", ID: "line\nfeed \x1b[31m"}, Match: signature.Match{Lanes: 95, Hamming: 2, By: signature.BySketch | signature.BySimhash}, Resemblance: .954},
				{Document: clusters.Document{ID: `" onclick="x`}, Match: signature.Match{Lanes: 80, Hamming: 9}, Resemblance: .8},
			},
		}
		second := clusters.Cluster{Head: clusters.Document{ID: "Zürich 東京"}, Members: []clusters.Member{}}
		if !yield(first, nil) || !yield(second, nil) {
			return
		}
		if broken != nil {
			yield(clusters.Cluster{}, broken)
		}
	}
}

func TestWriteTable(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := clusters.WriteTable(&out, some(nil)); err != nil {
		t.Fatal(err)
	}
	want := `CLUSTER      SIZE         RESEMBLANCE  LANES        HAMMING      BY                    DOCUMENT
1            3                                                   head                  a&b <script>alert(1)</script>
1                         0.95         95           2            sketch+simhash        a&b "line\nfeed \x1b[31m"
1                         0.80         80           9            others                "\" onclick=\"x"
2            1                                                   head                  Zürich 東京
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	out.Reset()
	none := func(func(clusters.Cluster, error) bool) {}
	if err := clusters.WriteTable(&out, none); err != nil || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("of no clusters: %q, %v", out.String(), err)
	}
}

// What is written as JSON is read as what Of yields.
func TestWriteJSON(t *testing.T) {
	t.Parallel()
	x := newIndex(t, families(rand.New(rand.NewPCG(21, 22)), 200), 200)
	all := clusters.Of(context.Background(), x, clusters.Options{By: clusters.Components, MinSize: 1})
	want := collect(t, all)
	var out bytes.Buffer
	if err := clusters.WriteJSON(&out, all); err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(&out)
	dec.DisallowUnknownFields()
	for i := 0; ; i++ {
		var c clusters.Cluster
		err := dec.Decode(&c)
		if err == io.EOF && i == len(want) {
			return
		}
		if err != nil || i == len(want) || line(c) != want[i] || c.Members == nil {
			t.Fatalf("line %d: got %+v, %v", i, c, err)
		}
	}
}

// The page is well-formed, refers to nothing outside, and escapes names.
func TestWriteHTML(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := clusters.WriteHTML(&out, some(nil)); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	for _, no := range []string{"<script", "://", "src=", "onclick=\"x", "broke off"} {
		if strings.Contains(page, no) {
			t.Errorf("the page has %q", no)
		}
	}
	for _, yes := range []string{
		`<html lang="en">`, "color-scheme: light dark", `<th scope="row">`, "<caption>", "2 clusters of 4 documents", "Zürich 東京", ": 1 document<", "0.95",
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
		"2 clusters of 4 documents.",
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

// Errors of clusters and of the writer come back, and end the iteration.
func TestWriteErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, write := range map[string]func(io.Writer, iter.Seq2[clusters.Cluster, error]) error{
		"table": clusters.WriteTable, "json": clusters.WriteJSON, "html": clusters.WriteHTML,
	} {
		var out strings.Builder
		if err := write(&out, some(broken)); !errors.Is(err, broken) || !strings.Contains(out.String(), "Zürich") {
			t.Errorf("%s: got %v after %q", name, err, out.String())
		}
		if name == "html" && (!strings.Contains(out.String(), "broke off here") || !strings.HasSuffix(out.String(), "</html>\n")) {
			t.Errorf("a page that broke off ends with %q", out.String()[max(0, out.Len()-200):])
		}
		n := 0
		endless := func(yield func(clusters.Cluster, error) bool) {
			for n = 0; n < 100_000 && yield(clusters.Cluster{Head: clusters.Document{ID: "x"}}, nil); n++ {
			}
		}
		disk := full(10_000)
		if err := write(&disk, endless); !errors.Is(err, errFull) || n > 10_000 {
			t.Errorf("%s: got %v after %d clusters", name, err, n)
		}
	}
}
