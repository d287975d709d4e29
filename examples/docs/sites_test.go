package docs

import (
	"bytes"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/html"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/examples/docsearch/corpus"
	"github.com/neardup/bleve-neardup/examples/internal/documents"
	"github.com/neardup/bleve-neardup/examples/internal/sites"
)

var allSites = flag.Bool("sites.all", false, "sign all pages of the tables in templates.md")

// signing is how the pages of a site are signed.
type signing struct {
	name  string
	mark  sites.Markup
	plain bool         // text, not HTML
	out   html.Reasons // left out of the pages
	learn bool         // so is what many of the pages share
}

// The rows of templates.md.
var signings = []signing{
	{"all text", sites.Elements, false, 0, false},
	{"by markup", sites.Elements, false, html.Hidden | html.Template, false},
	{"by roles", sites.Roles, false, html.Hidden | html.Template, false},
	{"nothing marked but lists of links", sites.Unmarked, false, html.Hidden | html.Template, false},
	{"nothing marked, learned", sites.Unmarked, false, html.Hidden | html.Template, true},
	{"plain text, learned", sites.Elements, true, 0, true},
}

// sign returns the signatures of a site's pages with the texts.
func (w signing) sign(tb testing.TB, s *sites.Site, texts []string) (all []signature.Signature) {
	tb.Helper()
	p := signature.DefaultParams()
	maker, err := signature.NewMaker(p)
	if err != nil {
		tb.Fatal(err)
	}
	pages := make([][]byte, len(texts))
	for i, text := range texts {
		if pages[i] = []byte(s.Plain(text)); !w.plain {
			pages[i] = html.Text(nil, []byte(s.HTML(text)), w.out, nil)
		}
	}
	if w.learn {
		found, err := template.Learn(p.ID(), template.Options{}, func(yield func([][]uint64) bool) {
			for _, page := range pages {
				if !yield([][]uint64{p.Hashes(nil, page)}) {
					return
				}
			}
		})
		if err != nil {
			tb.Fatal(err)
		}
		if err := maker.Without(found.Set); err != nil {
			tb.Fatal(err)
		}
	}
	for _, page := range pages {
		maker.Text(page)
		all = append(all, maker.Signature())
	}
	return all
}

// newest returns the texts of the newest version of each manual.
func newest(tb testing.TB) (texts []string) {
	tb.Helper()
	source := documents.Source{ID: "id", Text: []string{"text"}, HTML: documents.None, Stdin: bytes.NewReader(corpus.Lines)}
	for d, err := range source.Read("-") {
		if err != nil {
			tb.Fatal(err)
		}
		if d.Fields["version"] == 16. {
			texts = append(texts, d.Values[0])
		}
	}
	return texts
}

// The tables of templates.md, with -sites.all. Without it few pages are signed, and markup
// and what was learned hide none of them, where all of their text hides most.
func TestSites(t *testing.T) {
	t.Parallel()
	templates, bodies, n := []int{900}, []int{50}, 100
	if *allSites {
		templates, bodies, n = []int{100, 200, 500, 900, 2000}, []int{25, 50, 100, 200, 400, 1000}, 1000
	}
	texts, words := newest(t), sites.Words(corpus.Licence)
	for _, w := range signings {
		for _, body := range bodies {
			pieces := sites.Bodies(texts, body, n)
			mirrored := pieces[:min(len(pieces), n/5)]
			hidden, found := make([]int, len(templates)), make([]float64, len(templates))
			for i, size := range templates {
				heads := table.New(signature.Rule{})
				for _, s := range w.sign(t, sites.New(1, w.mark, words, size), pieces) {
					if heads.First(&s) >= 0 {
						hidden[i]++
					} else {
						heads.Add(&s)
					}
				}
				others := w.sign(t, sites.New(2, w.mark, words, size), mirrored)
				for j, s := range w.sign(t, sites.New(1, w.mark, words, size), mirrored) {
					if (signature.Rule{}).Duplicates(&s, &others[j]) {
						found[i] += 1 / float64(len(mirrored))
					}
				}
			}
			t.Logf("%s: %d: templates %d: hidden %d of %d, found under two templates %.2f", w.name, body, templates, hidden, len(pieces), found)
			if slices.Equal(templates, []int{900}) && (hidden[0] > 0) != (w.name == "all text" || w.mark == sites.Unmarked && !w.learn) {
				t.Errorf("%s: %d of %d pages of %d words are hidden", w.name, hidden[0], n, body)
			}
		}
	}
}

// filtered returns an analyzer of pages.
func filtered(tb testing.TB, leaveOut string) *neardup.Analyzer {
	tb.Helper()
	cache := registry.NewCache()
	if _, err := cache.DefineCharFilter("own", map[string]any{"type": "neardup_html", "leave_out": leaveOut}); err != nil {
		tb.Fatal(err)
	}
	a, err := neardup.AnalyzerConstructor(map[string]any{"char_filters": []any{"own"}}, cache)
	if err != nil {
		tb.Fatal(err)
	}
	return a.(*neardup.Analyzer)
}

// BenchmarkPage signs a page with all of its text; without its template; and so, with its hidden words counted. They
// take turns, and "template" and "hidden" are the times that these take of the one before, by the least times.
func BenchmarkPage(b *testing.B) {
	text := strings.Repeat("The quick brown fox jumps over the lazy dog; it isn't amused, and neither is the cat.\n", 25)
	words := sites.Words("the menu of a site and what else stands around the text of every page that it has")
	whole, content := filtered(b, "nothing"), filtered(b, "template")
	for _, mark := range []sites.Markup{sites.Elements, sites.Roles, sites.Unmarked} {
		for _, size := range []int{0, 100, 500, 2000} {
			page := []byte(sites.New(1, mark, words, size).HTML(text))
			do := []func(){
				func() { whole.Sign(page) },
				func() { content.Sign(page) },
				func() {
					if _, err := content.SignWith(neardup.Figures{Hidden: true}, nil, page); err != nil {
						b.Fatal(err)
					}
				},
			}
			b.Run(fmt.Sprintf("%d/%d", mark, size), func(b *testing.B) {
				least := []time.Duration{time.Hour, time.Hour, time.Hour}
				for b.Loop() {
					for i, do := range do {
						start := time.Now()
						for range 20 {
							do()
						}
						least[i] = min(least[i], time.Since(start)/20)
					}
				}
				b.ReportMetric(float64(least[1])/float64(least[0]), "template")
				b.ReportMetric(float64(least[2])/float64(least[1]), "hidden")
			})
		}
	}
}
