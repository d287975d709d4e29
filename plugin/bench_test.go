package plugin_test

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/signature/signaturetest"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// cpu is the processor time that this process has used, all threads together:
// bleve analyses, persists and merges in the background, and the machine is not
// ours alone.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

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

// types are plain scorch with the text alone, and neardup with the signature.
var types = []struct {
	name   string
	signed bool
}{{"scorch", false}, {"neardup", true}}

func build(b *testing.B, path, name string, m mapping.IndexMapping, policy *admission.Policy, docs []signaturetest.Doc) bleve.Index {
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
func some(docs []signaturetest.Doc) []signaturetest.Doc {
	if testing.Short() {
		return docs[:min(100, len(docs))]
	}
	return docs
}

// BenchmarkIndexing indexes real text to disk, in fields as bleve makes them by
// default and in lean ones. The figure to compare is cpu-ms/op:
//
//	go test -run '^$' -bench Indexing -benchtime 3x -count 5 ./plugin
func BenchmarkIndexing(b *testing.B) {
	docs := some(signaturetest.Shipped(b))
	for _, fields := range []string{"default", "lean"} {
		for _, tt := range types {
			b.Run(fields+"/"+tt.name, func(b *testing.B) {
				benchmarkIndexing(b, tt.name, benchMapping(tt.signed, fields == "lean"), nil, docs)
			})
		}
	}
}

// BenchmarkAdmission is indexing with every near-duplicate tagged, against neardup
// without a policy and against plain scorch:
//
//	go test -run '^$' -bench Admission -benchtime 1x -count 5 ./plugin
func BenchmarkAdmission(b *testing.B) {
	b.Run("manuals", func(b *testing.B) { benchmarkAdmission(b, some(signaturetest.Shipped(b))) })
	b.Run("mails", func(b *testing.B) {
		docs := signaturetest.Docs(b, "enron-spam/docs.jsonl.gz")
		benchmarkAdmission(b, some(docs[:min(10000, len(docs))]))
	})
}

func benchmarkAdmission(b *testing.B, docs []signaturetest.Doc) {
	for _, tt := range types {
		b.Run(tt.name, func(b *testing.B) { benchmarkIndexing(b, tt.name, benchMapping(tt.signed, false), nil, docs) })
	}
	b.Run("tag", func(b *testing.B) {
		benchmarkIndexing(b, "neardup", benchMapping(true, false), &admission.Policy{Near: admission.Tag}, docs)
	})
}

func benchmarkIndexing(b *testing.B, name string, m mapping.IndexMapping, policy *admission.Policy, docs []signaturetest.Doc) {
	bytes := 0
	for _, d := range docs {
		bytes += len(d.Text)
	}
	b.SetBytes(int64(bytes))
	dir := b.TempDir()
	n := 0
	before := cpu(b)
	for b.Loop() {
		index := build(b, filepath.Join(dir, fmt.Sprint(n)), name, m, policy, docs)
		if err := index.Close(); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64((cpu(b)-before).Milliseconds())/float64(n), "cpu-ms/op")
}

// BenchmarkSearch is a page of 10 or 100 from one index of real text, with collapse
// and without: the shipped manuals, of which most hits are copies, and mails.
func BenchmarkSearch(b *testing.B) {
	b.Run("manuals", func(b *testing.B) {
		benchmarkSearch(b, some(signaturetest.Shipped(b)), "vectorizer", "the loop", "command line options of the linker")
	})
	b.Run("mails", func(b *testing.B) {
		benchmarkSearch(b, some(signaturetest.Docs(b, "enron-spam/docs.jsonl.gz")), "pipeline", "gas price", "please let me know about the meeting")
	})
}

func benchmarkSearch(b *testing.B, docs []signaturetest.Doc, queries ...string) {
	index := build(b, filepath.Join(b.TempDir(), "x"), "neardup", benchMapping(true, true), nil, docs)
	defer index.Close()
	ctx := context.Background()
	forms := []struct {
		name string
		size int
		ask  func(*bleve.SearchRequest) error
	}{
		{"plain", 10, func(r *bleve.SearchRequest) error {
			_, err := index.Search(r)
			return err
		}},
		{"collapsed", 10, func(r *bleve.SearchRequest) error {
			_, err := collapse.Search(ctx, index, r, collapse.Options{})
			return err
		}},
		{"plain", 100, func(r *bleve.SearchRequest) error {
			_, err := index.Search(r)
			return err
		}},
		{"collapsed", 100, func(r *bleve.SearchRequest) error {
			_, err := collapse.Search(ctx, index, r, collapse.Options{})
			return err
		}},
		{"whole", 10, func(r *bleve.SearchRequest) error {
			_, err := collapse.Search(ctx, index, r, collapse.Options{Whole: true})
			return err
		}},
	}
	for _, q := range queries {
		for _, form := range forms {
			b.Run(fmt.Sprintf("%s/%s/%d", q, form.name, form.size), func(b *testing.B) {
				match := bleve.NewMatchQuery(q)
				match.SetField("body")
				for b.Loop() {
					if err := form.ask(bleve.NewSearchRequestOptions(match, form.size, 0, false)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
