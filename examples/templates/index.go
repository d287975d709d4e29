package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/examples/internal/sites"
	"github.com/neardup/bleve-neardup/plugin"
	learning "github.com/neardup/bleve-neardup/plugin/templates"
)

// siteTemplate is the words of the template whose pages are put into an index.
const siteTemplate = 900

// indexed is how pages are put into an index.
type indexed struct {
	name   string
	page   func(s *sites.Site, text string) string
	mark   sites.Markup
	config map[string]any // of the analyzer
	learn  bool           // templates are learned from all pages, and then all are written again
}

var indexings = []indexed{
	{"HTML, all text", asHTML, sites.Elements, map[string]any{"char_filters": []any{filterAll}}, false},
	{"HTML, without what nav, header, aside and footer mark", asHTML, sites.Elements, map[string]any{"char_filters": []any{"neardup_html"}}, false},
	{"HTML, without what roles mark", asHTML, sites.Roles, map[string]any{"char_filters": []any{"neardup_html"}}, false},
	{"plain text", asPlain, sites.Elements, nil, false},
	{"plain text, without what was learned", asPlain, sites.Elements, nil, true},
}

// filterAll names the char filter that keeps all text of a page.
const filterAll = "whole_html"

// index prints how many pages of one site a search of an index for all documents hides.
func (m *measure) index() error {
	fmt.Fprintf(m.out, "Different texts in one template of %d words, in an index: pages that a search for all hides of %d\n\n", siteTemplate, m.pages)
	fmt.Fprint(m.out, "| words of the text | 50 | 100 |\n|---|---|---|\n")
	for _, w := range indexings {
		fmt.Fprintf(m.out, "| %s |", w.name)
		for _, body := range []int{50, 100} {
			hidden, err := m.search(w, body)
			if err != nil {
				return err
			}
			fmt.Fprintf(m.out, " %d |", hidden)
		}
		fmt.Fprintln(m.out)
	}
	fmt.Fprintln(m.out)
	return nil
}

// search puts the pages of one site into an index, searches for all of them, and returns how many the
// pages of results hide.
func (m *measure) search(w indexed, body int) (hidden int, err error) {
	mapping := storing()
	config := map[string]any{"type": neardup.Name}
	maps.Copy(config, w.config)
	if err := mapping.AddCustomCharFilter(filterAll, map[string]any{"type": "neardup_html", "leave_out": "nothing"}); err != nil {
		return 0, err
	}
	if err := mapping.AddCustomAnalyzer(neardup.Name, config); err != nil {
		return 0, err
	}
	x, err := plugin.New("", mapping)
	if err != nil {
		return 0, err
	}
	defer x.Close()
	site := sites.New(1, w.mark, m.words, siteTemplate)
	texts := sites.Bodies(m.texts, body, m.pages)
	put := func() error {
		for from := 0; from < len(texts); from += 100 {
			b := x.NewBatch()
			for i := from; i < min(from+100, len(texts)); i++ {
				if err := b.Index(fmt.Sprintf("page %d", i), map[string]any{"body": w.page(site, texts[i])}); err != nil {
					return err
				}
			}
			if err := x.Batch(b); err != nil {
				return err
			}
		}
		return nil
	}
	if err := put(); err != nil {
		return 0, err
	}
	if w.learn {
		if _, err := learned(x, learning.Options{}); err != nil {
			return 0, err
		}
		if err := put(); err != nil {
			return 0, err
		}
	}
	request := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
	request.Size = len(texts)
	result, err := collapse.Search(context.Background(), x, request, collapse.Options{})
	if err != nil {
		return 0, err
	}
	if int(result.Total) != len(texts) {
		return 0, fmt.Errorf("wanted %d pages, got %d", len(texts), result.Total)
	}
	for _, place := range result.All() {
		hidden += len(place.Copies)
	}
	if shown := len(result.Hits); shown+hidden != len(texts) {
		return 0, fmt.Errorf("wanted %d pages shown or hidden, got %d shown and %d hidden", len(texts), shown, hidden)
	}
	return hidden, nil
}

// storing is a mapping that fingerprints bodies and only stores their text and the name of their site:
// nobody searches for words here.
func storing() *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	m.DefaultMapping.Dynamic = false
	for _, name := range []string{"body", "site"} {
		m.DefaultMapping.AddFieldMappingsAt(name, &mapping.FieldMapping{Type: "text", Store: true})
	}
	plugin.AddSignature(m.DefaultMapping, "body")
	return m
}

// learned learns from an index, and uses what it found.
func learned(x bleve.Index, o learning.Options) (*learning.Templates, error) {
	found, err := learning.Learn(context.Background(), x, o)
	if err != nil {
		return nil, err
	}
	_, err = learning.Use(context.Background(), x, found)
	return found, err
}

// learnSites is on how many sites the pages are that are learned from.
const learnSites = 10

// learn prints what it costs to learn templates from an index of so many pages, of several sites,
// with 100 words of text each.
func (m *measure) learn(pages int) error {
	dir, err := os.MkdirTemp("", "templates-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	x, err := plugin.New(filepath.Join(dir, "x.bleve"), storing())
	if err != nil {
		return err
	}
	defer x.Close()
	if err := m.fill(x, pages); err != nil {
		return err
	}
	before := heap()
	stop := watch()
	start := time.Now()
	found, err := learned(x, learning.Options{Scope: "site"})
	took := time.Since(start)
	most := stop()
	if err != nil {
		return err
	}
	largest := 0
	for _, s := range found.Scopes {
		data, err := s.Set.MarshalBinary()
		if err != nil {
			return err
		}
		largest = max(largest, len(data))
	}
	fmt.Fprintf(m.out, "Learned from %d pages of %d words on %d sites, in an index on disk: %.1f s, %d MB of heap more than before; %d templates, of at most %.1f KB each\n\n",
		found.Sampled, siteTemplate+learnBody, learnSites, took.Seconds(), max(0, int(most)-int(before))>>20, len(found.Scopes), float64(largest)/1024)
	return nil
}

// learnBody is the words of the text of a page that is learned from.
const learnBody = 100

// fill writes pages of plain text. Texts are used again under other sites, each time in another order of
// their words.
func (m *measure) fill(x bleve.Index, pages int) error {
	var all []*sites.Site
	for i := range learnSites {
		all = append(all, sites.New(uint64(i+1), sites.Elements, m.words, siteTemplate))
	}
	texts := sites.Bodies(m.texts, learnBody, pages)
	for from := 0; from < pages; from += 200 {
		b := x.NewBatch()
		for i := from; i < min(from+200, pages); i++ {
			words := strings.Fields(texts[i%len(texts)])
			turn := i / len(texts) % len(words)
			text := strings.Join(slices.Concat(words[turn:], words[:turn]), " ")
			site := i % learnSites
			if err := b.Index(fmt.Sprint(i), map[string]any{"site": fmt.Sprint(site), "body": all[site].Plain(text)}); err != nil {
				return err
			}
		}
		if err := x.Batch(b); err != nil {
			return err
		}
	}
	return nil
}

// heap returns the bytes of the live heap.
func heap() uint64 {
	runtime.GC()
	return live()
}

// live returns the bytes of objects on the heap that are in use, or not yet found to be free.
func live() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// watch looks at the heap until the function that it returns is called, which returns the most that it saw.
func watch() (stop func() uint64) {
	var most uint64
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for tick := time.NewTicker(5 * time.Millisecond); ; {
			select {
			case <-done:
				tick.Stop()
				return
			case <-tick.C:
				most = max(most, live())
			}
		}
	})
	return func() uint64 {
		close(done)
		running.Wait()
		return most
	}
}
