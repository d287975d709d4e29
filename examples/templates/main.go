// Program templates measures what the pages of a site share. How many different pages of one template are
// taken for copies of each other? Is one text found under two templates? It asks this of the pages as they
// are, without what their markup says is not the content, and without what was learned from the pages. Sites
// are made (package examples/internal/sites): templates of words of a licence around pieces of the LLVM manuals that
// docsearch ships.
//
// First it puts pages into indexes and searches these; then it measures signatures alone.
//
//	go -C examples run ./templates
//	go -C examples run ./templates -learn 100000
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/html"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/examples/docsearch/corpus"
	"github.com/neardup/bleve-neardup/examples/internal/sites"
)

var (
	templates = []int{100, 200, 500, 900, 2000}
	bodies    = []int{25, 50, 100, 200, 400, 1000}
)

func main() {
	pages := flag.Int("pages", 1000, "pages of a site, each with a text of its own")
	mirrors := flag.Int("mirrors", 200, "texts that stand on two sites")
	learn := flag.Int("learn", 0, "instead print what it costs to learn from an index of so many pages, such as 100000")
	flag.Parse()
	if *learn < 0 {
		log.Fatalf("-learn: wanted 0 or more, got %d", *learn)
	}
	if *pages < 1 || *mirrors < 1 {
		log.Fatalf("wanted at least one page and one mirror, got %d and %d", *pages, *mirrors)
	}
	texts, err := manuals()
	if err != nil {
		log.Fatal(err)
	}
	m := measure{out: os.Stdout, texts: texts, words: sites.Words(corpus.Licence), pages: *pages, mirrors: *mirrors}
	if *learn > 0 {
		err = m.learn(*learn)
	} else if err = m.index(); err == nil {
		m.run()
	}
	if err != nil {
		log.Fatal(err)
	}
}

// manuals returns the newest version of each manual.
func manuals() (texts []string, err error) {
	z, err := gzip.NewReader(bytes.NewReader(corpus.Lines))
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var d struct{ ID, Text string }
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			return nil, err
		}
		if strings.HasPrefix(d.ID, "llvm-16/") || strings.HasPrefix(d.ID, "clang-16/") {
			texts = append(texts, d.Text)
		}
	}
	return texts, lines.Err()
}

// way is how the pages of a site are signed.
type way struct {
	name string
	page func(s *sites.Site, text string) string
	text func(dst, src []byte) []byte
	mark sites.Markup
	// learn says that what many of the pages share is left out.
	learn bool
}

// signer returns what signs the pages of a site, of which those of texts are some.
func (w way) signer(s *sites.Site, texts []string) func(text string) signature.Signature {
	p := signature.DefaultParams()
	maker, err := signature.NewMaker(p)
	if err != nil {
		log.Fatal(err)
	}
	if w.learn {
		learner, err := template.NewLearner(p.ID(), template.Options{})
		if err != nil {
			log.Fatal(err)
		}
		for _, text := range texts {
			learner.Add(p.Hashes(nil, w.text(nil, []byte(w.page(s, text)))))
		}
		found := learner.Learn()
		if err := maker.Without(found.Set); err != nil {
			log.Fatal(err)
		}
	}
	return func(text string) signature.Signature {
		maker.Text(w.text(nil, []byte(w.page(s, text))))
		return maker.Signature()
	}
}

func asHTML(s *sites.Site, text string) string  { return s.HTML(text) }
func asPlain(s *sites.Site, text string) string { return s.Plain(text) }
func plain(_, src []byte) []byte                { return src }

var ways = []way{
	{"all text of HTML pages", asHTML, html.Text, sites.Elements, false},
	{"HTML, without what nav, header, aside and footer mark", asHTML, html.Content, sites.Elements, false},
	{"HTML, without what roles mark", asHTML, html.Content, sites.Roles, false},
	{"HTML without marks, but for lists of links", asHTML, html.Content, sites.Unmarked, false},
	{"HTML without marks, and without what was learned", asHTML, html.Content, sites.Unmarked, true},
	{"plain text", asPlain, plain, sites.Elements, false},
	{"plain text, without what was learned", asPlain, plain, sites.Elements, true},
}

// rule is the default rule.
var rule signature.Rule

type measure struct {
	out            io.Writer
	texts, words   []string
	pages, mirrors int
}

func (m *measure) run() {
	for _, w := range ways {
		m.table(fmt.Sprintf("Different texts in one template: pages hidden of %d. %s", m.pages, w.name), func(template, body int) string {
			site := sites.New(1, w.mark, m.words, template)
			all := sites.Bodies(m.texts, body, m.pages)
			hidden := m.hidden(w, site, all)
			if len(all) < m.pages {
				return fmt.Sprintf("%d of %d", hidden, len(all))
			}
			return fmt.Sprint(hidden)
		})
	}
	for _, w := range ways {
		m.table(fmt.Sprintf("One text under two templates, and with a template and without: share found of %d. %s", m.mirrors, w.name), func(template, body int) string {
			one, two := sites.New(1, w.mark, m.words, template), sites.New(2, w.mark, m.words, template)
			bare := sites.New(3, w.mark, m.words, 0)
			all := sites.Bodies(m.texts, body, m.mirrors)
			left, right := w.signer(one, all), w.signer(two, all)
			none := way{page: w.page, text: w.text}.signer(bare, nil)
			both, alone := 0, 0
			for _, text := range all {
				a, b, c := left(text), right(text), none(text)
				if rule.Duplicates(&a, &b) {
					both++
				}
				if rule.Duplicates(&a, &c) {
					alone++
				}
			}
			n := float64(len(all))
			return fmt.Sprintf("%.2f, %.2f", float64(both)/n, float64(alone)/n)
		})
	}
}

// hidden returns how many of a site's pages a search for all would hide: those that match one
// which is shown.
func (m *measure) hidden(w way, site *sites.Site, texts []string) (hidden int) {
	var heads []signature.Signature
	sign := w.signer(site, texts)
next:
	for _, text := range texts {
		sig := sign(text)
		for i := range heads {
			if rule.Duplicates(&heads[i], &sig) {
				hidden++
				continue next
			}
		}
		heads = append(heads, sig)
	}
	return hidden
}

// table prints a cell for each template and text.
func (m *measure) table(title string, cell func(template, body int) string) {
	fmt.Fprintf(m.out, "%s\n\n| words of the text |", title)
	for _, t := range templates {
		fmt.Fprintf(m.out, " template %d |", t)
	}
	fmt.Fprintf(m.out, "\n|---|%s\n", strings.Repeat("---|", len(templates)))
	for _, b := range bodies {
		fmt.Fprintf(m.out, "| %d |", b)
		for _, t := range templates {
			fmt.Fprintf(m.out, " %s |", cell(t, b))
		}
		fmt.Fprintln(m.out)
	}
	fmt.Fprintln(m.out)
}
