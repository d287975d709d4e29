package char

import (
	"fmt"
	"strings"
	"testing"

	bleve "github.com/blevesearch/bleve/v2/analysis/char/html"
	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/signature/html"
)

func TestHTML(t *testing.T) {
	t.Parallel()
	f, err := registry.NewCache().CharFilterNamed(HTML)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{"no markup", "no markup"},
		{"<p>un<b>believ</b>able</p>&eacute;", "unbelievable\né"},
		{"<div><!-- only --></div>", ""},
	} {
		in := []byte(tt.in)
		if got := string(f.Filter(in)); got != tt.want || string(in) != tt.in {
			t.Errorf("%q: got %q, want %q; the input is %q then", tt.in, got, tt.want, in)
		}
	}
}

func TestHTMLConfig(t *testing.T) {
	t.Parallel()
	if _, err := newHTML(map[string]any{"type": HTML}, nil); err != nil {
		t.Error(err)
	}
	_, err := newHTML(map[string]any{"keep_alt": true}, nil)
	if err == nil || !strings.HasPrefix(err.Error(), "neardup_html: keep_alt: wanted one of the keys leave_out, type") {
		t.Errorf("an unknown option: got %v", err)
	}
}

// What is left out is configured, and by default it is the template.
func TestLeaveOut(t *testing.T) {
	t.Parallel()
	const body = "These are the words of the page, twenty of them or more, so that something can be left out of it at all."
	page := []byte("<nav>Menu</nav><p>" + body + "<p hidden>Hidden")
	for _, tt := range []struct {
		values map[string]any
		want   string
	}{
		{map[string]any{}, body},
		{map[string]any{"leave_out": "template"}, body},
		{map[string]any{"leave_out": "hidden"}, "Menu " + body},
		{map[string]any{"leave_out": "nothing"}, "Menu " + body + " Hidden"},
	} {
		f, err := newHTML(tt.values, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(string(f.Filter(page))), " "); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.values, got, tt.want)
		}
	}
	_, err := newHTML(map[string]any{"leave_out": "menus"}, nil)
	if err == nil || !strings.Contains(err.Error(), `leave_out: wanted one of ["template" "hidden" "nothing"], got string "menus"`) {
		t.Errorf("an unknown value: got %v", err)
	}
}

// BenchmarkFilter compares bleve's filter with this one.
func BenchmarkFilter(b *testing.B) {
	page := []byte("<html><head><title>x</title></head><body>" + strings.Repeat(
		"<p class=\"body\">The quick brown fox <a href=\"https://example.org/page\">jumps</a> over the <em>lazy</em> dog &amp; sleeps.</p>\n", 200))
	for _, bb := range []struct {
		name   string
		filter interface{ Filter([]byte) []byte }
	}{{"neardup_html", &HTMLFilter{html.Hidden | html.Template}}, {"html", bleve.New()}} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			for b.Loop() {
				bb.filter.Filter(page)
			}
		})
	}
}

func Example() {
	f, err := registry.NewCache().CharFilterNamed(HTML)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", f.Filter([]byte("<p>A rose is a <em>ro</em>se.<!-- is it? -->")))
	// Output: A rose is a rose.
}
