package plugin_test

import (
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// BenchmarkPageBy is a page of 10 by key, by near-duplicates within equal keys, by both, by the name of a group, with
// complete groups, with other heads, by the whole form, and sorted by a field of two values or of thousands, on the
// documents of BenchmarkPage. The key of a mail is its first line, the subject, and of a section its folder: there are
// thousands. As there, the figure is the ratio:
//
//	go test -run '^$' -bench PageBy -benchtime 1000x -timeout 20m ./plugin
func BenchmarkPageBy(b *testing.B) {
	docs := mailsAndSections(b)
	m := benchMapping(true, true)
	m.DefaultMapping.AddFieldMappingsAt("folder", bleve.NewKeywordFieldMapping())
	m.DefaultMapping.AddFieldMappingsAt("kind", bleve.NewKeywordFieldMapping())
	index, err := plugin.New(filepath.Join(b.TempDir(), "x"), m) // in memory, nothing merges
	if err != nil {
		b.Fatal(err)
	}
	defer index.Close()
	if err := plugin.SetPolicy(b.Context(), index, &admission.Policy{Group: true}); err != nil {
		b.Fatal(err)
	}
	batch := index.NewBatch()
	for i, d := range docs {
		folder, kind := path.Dir(d.ID), "section"
		if line, _, ok := strings.Cut(d.Text, "\r\n"); ok {
			folder, kind = line, "mail"
		}
		if err := batch.Index(d.ID, map[string]any{"body": d.Text, "folder": folder, "kind": kind}); err != nil {
			b.Fatal(err)
		}
		if batch.Size() >= 500 || i == len(docs)-1 {
			if err := index.Batch(batch); err != nil {
				b.Fatal(err)
			}
			batch.Reset()
		}
	}
	var all []func() *bleve.SearchRequest
	sorted := map[string][]func() *bleve.SearchRequest{}
	for _, q := range []string{"iterator", "pipeline", "gas price", "file", "subject"} {
		all = append(all, matching(q, 10))
		for _, by := range []string{"kind", "folder"} {
			sorted[by] = append(sorted[by], func() *bleve.SearchRequest {
				r := matching(q, 10)()
				r.SortBy([]string{by})
				return r
			})
		}
	}
	for _, by := range []struct {
		name string
		o    collapse.Options
	}{
		{"near", collapse.Options{}},
		{"verify", collapse.Options{Verify: signature.Verify{Resemblance: .8}}},
		{"key", collapse.Options{By: &collapse.By{Field: "folder"}}},
		{"group", collapse.Options{By: &collapse.By{Field: admission.GroupField}}},
		{"group-or-near", collapse.Options{By: &collapse.By{Field: admission.GroupField, Or: true}}},
		{"key-and-near", collapse.Options{Within: []string{"folder"}}},
		{"key-or-near", collapse.Options{By: &collapse.By{Field: "folder", Or: true, Most: 3}}},
		{"near-complete", collapse.Options{Complete: true}},
		{"near-complete-head", collapse.Options{Complete: true, Head: search.SortOrder{&search.SortField{Field: "folder"}}}},
		{"whole", collapse.Options{Whole: true}},
		{"whole-key-and-near", collapse.Options{Whole: true, Within: []string{"folder"}}},
		{"whole-head", collapse.Options{Whole: true, Head: search.SortOrder{&search.SortField{Field: "folder"}}}},
		{"near-head", collapse.Options{Head: search.SortOrder{&search.SortField{Field: "folder"}}}},
		{"key-or-near-one", collapse.Options{By: &collapse.By{Field: "folder", Or: true}}},
	} {
		b.Run(by.name, func(b *testing.B) { compare(b, index, by.o, all...) })
	}
	b.Run("near-sorted", func(b *testing.B) { compare(b, index, collapse.Options{}, sorted["kind"]...) })
	b.Run("whole-sorted", func(b *testing.B) { compare(b, index, collapse.Options{Whole: true}, sorted["folder"]...) })
}
