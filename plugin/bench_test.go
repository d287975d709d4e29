package plugin_test

import (
	"context"
	"fmt"
	"html"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/char"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// benchMapping stores and indexes the body; signed adds the signature. A lean field
// is without what bleve adds by default: term vectors, doc values, _all.
func benchMapping(signed, lean bool) *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	m.DefaultMapping = bleve.NewDocumentStaticMapping()
	body := bleve.NewTextFieldMapping()
	if lean {
		body.IncludeTermVectors, body.DocValues, body.IncludeInAll = false, false, false
	}
	m.DefaultMapping.AddFieldMappingsAt("body", body)
	if signed {
		plugin.AddSignature(m.DefaultMapping, "body")
	}
	return m
}

func build(b *testing.B, path, name string, m mapping.IndexMapping, policy *admission.Policy, docs []neartest.Doc) bleve.Index {
	b.Helper()
	index, err := bleve.NewUsing(path, m, name, bleve.Config.DefaultKVStore, nil)
	if err != nil {
		b.Fatal(err)
	}
	if policy != nil {
		if err := plugin.SetPolicy(context.Background(), index, policy); err != nil {
			b.Fatal(err)
		}
	}
	batch := index.NewBatch()
	for i, d := range docs {
		if err := batch.Index(d.ID, map[string]any{"body": d.Text}); err != nil {
			b.Fatal(err)
		}
		if batch.Size() == 500 || i == len(docs)-1 {
			if err := index.Batch(batch); err != nil {
				b.Fatal(err)
			}
			batch.Reset()
		}
	}
	return index
}

// some are the documents of a benchmark, with -short a few of them.
func some(docs []neartest.Doc) []neartest.Doc {
	if testing.Short() {
		return docs[:min(100, len(docs))]
	}
	return docs
}

// BenchmarkIndexing indexes real text to disk, in fields as bleve makes them by
// default and in lean ones, as pages of a site in HTML, and as titles: 7 to 10 words of it each. The figures are those of
// benchmarkTurns:
//
//	go test -run '^$' -bench Indexing -benchtime 9x ./plugin
func BenchmarkIndexing(b *testing.B) {
	docs := some(neartest.Shipped(b))
	for _, fields := range []string{"default", "lean"} {
		lean := fields == "lean"
		b.Run(fields, func(b *testing.B) {
			benchmarkTurns(b, docs, []indexing{
				{"scorch", "scorch", benchMapping(false, lean), nil},
				{"neardup", "neardup", benchMapping(true, lean), nil},
			})
		})
	}
	b.Run("titles", func(b *testing.B) {
		benchmarkTurns(b, some(titles(docs)), []indexing{
			{"scorch", "scorch", benchMapping(false, false), nil},
			{"neardup", "neardup", benchMapping(true, false), nil},
		})
	})
	b.Run("html", func(b *testing.B) {
		pages := slices.Clone(docs)
		for i := range pages {
			pages[i].Text = htmlPage(pages[i].Text)
		}
		signed := benchMapping(true, false)
		if err := signed.AddCustomAnalyzer("page", map[string]any{"type": neardup.Name, "char_filters": []string{char.HTML}}); err != nil {
			b.Fatal(err)
		}
		signed.DefaultMapping.Properties["body"].Fields[1].Analyzer = "page"
		benchmarkTurns(b, pages, []indexing{
			{"scorch", "scorch", benchMapping(false, false), nil},
			{"neardup", "neardup", signed, nil},
		})
	})
}

// titles are 20,000 documents of 7 to 10 words of others.
func titles(docs []neartest.Doc) (all []neartest.Doc) {
	for _, d := range docs {
		for words := strings.Fields(d.Text); len(words) >= 10 && len(all) < 20_000; {
			n := 7 + len(all)%4
			all = append(all, neartest.Doc{ID: fmt.Sprint(len(all)), Text: strings.Join(words[:n], " ")})
			words = words[n:]
		}
	}
	return all
}

// htmlPage is a page with a text, a paragraph a line, in a template of 400 words.
func htmlPage(text string) string {
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n<html><head><meta charset=utf-8></head><body>\n<nav><ul>")
	for i := range 60 {
		fmt.Fprintf(&b, "<li><a href=\"/%d.html\">menu item</a></li>\n", i)
	}
	b.WriteString("</ul></nav>\n<main>\n")
	for line := range strings.Lines(text) {
		fmt.Fprintf(&b, "<p>%s</p>\n", html.EscapeString(strings.TrimSpace(line)))
	}
	b.WriteString("</main>\n<footer><p>" + strings.Repeat("all rights are reserved by their owners ", 40) + "</p></footer>\n</body></html>\n")
	return b.String()
}

// BenchmarkAdmission is indexing with every near-duplicate tagged, against neardup
// without a policy and against plain scorch:
//
//	go test -run '^$' -bench Admission -benchtime 9x ./plugin
func BenchmarkAdmission(b *testing.B) {
	b.Run("manuals", func(b *testing.B) { benchmarkAdmission(b, some(neartest.Shipped(b))) })
	b.Run("mails", func(b *testing.B) {
		docs := neartest.Docs(b, "enron-spam/docs.jsonl.gz")
		benchmarkAdmission(b, some(docs[:min(10000, len(docs))]))
	})
}

func benchmarkAdmission(b *testing.B, docs []neartest.Doc) {
	benchmarkTurns(b, docs, []indexing{
		{"scorch", "scorch", benchMapping(false, false), nil},
		{"neardup", "neardup", benchMapping(true, false), nil},
		{"tag", "neardup", benchMapping(true, false), &admission.Policy{Near: admission.Tag}},
	})
}

// indexing is a way to index documents.
type indexing struct {
	name, kind string
	mapping    mapping.IndexMapping
	policy     *admission.Policy
}

// benchmarkTurns indexes the documents in each way, in turns and each round in another order, so that what else the
// machine does strikes all. The figures are the medians of the processor time of each way, and of its ratio to that of
// the first way in the same round.
func benchmarkTurns(b *testing.B, docs []neartest.Doc, ways []indexing) {
	dir := b.TempDir()
	took, times := make([][]float64, len(ways)), make([][]float64, len(ways))
	round := 0
	for b.Loop() {
		for turn := range ways {
			i := (turn + round) % len(ways)
			runtime.GC()
			before := neartest.CPU()
			w := ways[i]
			index := build(b, filepath.Join(dir, fmt.Sprint(round, w.name)), w.kind, w.mapping, w.policy, docs)
			if err := index.Close(); err != nil {
				b.Fatal(err)
			}
			took[i] = append(took[i], float64((neartest.CPU()-before).Microseconds())/1000)
		}
		for i := range ways {
			times[i] = append(times[i], took[i][round]/took[0][round])
		}
		round++
	}
	for i, w := range ways {
		b.ReportMetric(median(took[i]), w.name+"-cpu-ms")
		if i > 0 {
			b.ReportMetric(median(times[i]), w.name+"/"+ways[0].name)
		}
	}
}
