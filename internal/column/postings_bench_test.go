package column_test

import (
	"encoding/hex"
	"flag"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/whitespace"
	"github.com/blevesearch/bleve/v2/index/scorch"

	"github.com/neardup/bleve-neardup/analysis/signature/signaturetest"
	"github.com/neardup/bleve-neardup/internal/column"
)

// most is the greatest number of documents of BenchmarkPostings.
var most = flag.Int("postings.most", 100_000, "documents of the largest index of BenchmarkPostings")

// Lookups of passages by terms, as a search has them before it verifies anything: package winnow has the same in memory, as
// BenchmarkReal. The terms are on disk, in the field of an index that has nothing else, as the segments are once it is closed and opened again.
// Each lookup is of another document. 1,000,000 documents take minutes:
//
//	go test -run xxx -bench Postings ./internal/column -postings.most 1000000 -timeout 1h
func BenchmarkPostings(b *testing.B) {
	values := signaturetest.Selected(b)
	for documents := 10_000; documents <= *most; documents *= 10 {
		if testing.Short() && documents > 10_000 {
			break
		}
		path := filepath.Join(b.TempDir(), "x")
		writeTerms(b, path, documents, values)
		x, err := bleve.Open(path)
		if err != nil {
			b.Fatal(err)
		}
		inner, err := x.Advanced()
		if err != nil {
			b.Fatal(err)
		}
		snapshot, err := column.Snapshot(inner.(*scorch.Scorch))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(documents), func(b *testing.B) {
			guard, found, passed, i, least := uint64(max(500, documents/100)), 0, 0, 0, time.Hour
			var docs []uint64
			for b.Loop() {
				own := values(i * 7)
				start := time.Now()
				p, err := column.Read(snapshot, "body").Postings()
				if err != nil {
					b.Fatal(err)
				}
				docs = docs[:0]
				for _, v := range own {
					n, err := p.Open(term(v), false)
					if err != nil {
						b.Fatal(err)
					}
					if n > guard {
						passed++
						continue
					}
					if err := p.Each(func(more []uint64) error {
						docs = append(docs, more...)
						return nil
					}); err != nil {
						b.Fatal(err)
					}
				}
				slices.Sort(docs)
				docs = slices.Compact(docs)
				least = min(least, time.Since(start))
				found += len(docs)
				i++
			}
			b.ReportMetric(float64(found)/float64(i), "documents")
			b.ReportMetric(float64(passed)/float64(i), "passed")
			b.ReportMetric(float64(least)/1e3, "least-µs")
			b.ReportMetric(float64(len(snapshot.Segments())), "segments")
			b.ReportMetric(float64(zapSize(b, path))/float64(documents), "bytes/document")
		})
		if err := snapshot.Close(); err != nil {
			b.Fatal(err)
		}
		if err := x.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// term is the term of a value, as the analyzer has it.
func term(value uint64) []byte {
	var raw [8]byte
	for i := range raw {
		raw[i] = byte(value >> (56 - 8*i))
	}
	return hex.AppendEncode(nil, raw[:])
}

// writeTerms writes an index whose field has the terms of values.
func writeTerms(b *testing.B, path string, documents int, values func(doc int) []uint64) {
	b.Helper()
	m := bleve.NewIndexMapping()
	if err := m.AddCustomAnalyzer("terms", map[string]any{"type": custom.Name, "tokenizer": whitespace.Name}); err != nil {
		b.Fatal(err)
	}
	f := bleve.NewTextFieldMapping()
	f.Analyzer, f.Store, f.IncludeInAll, f.DocValues, f.IncludeTermVectors = "terms", false, false, false, false
	m.DefaultMapping = bleve.NewDocumentStaticMapping()
	m.DefaultMapping.AddFieldMappingsAt("body", f)
	x, err := bleve.New(path, m)
	if err != nil {
		b.Fatal(err)
	}
	for n := 0; n < documents; {
		batch := x.NewBatch()
		for range min(5000, documents-n) {
			var text strings.Builder
			for _, v := range values(n) {
				text.Write(term(v))
				text.WriteByte(' ')
			}
			if err := batch.Index(fmt.Sprint(n), map[string]any{"body": text.String()}); err != nil {
				b.Fatal(err)
			}
			n++
		}
		if err := x.Batch(batch); err != nil {
			b.Fatal(err)
		}
	}
	if err := x.Close(); err != nil {
		b.Fatal(err)
	}
}

func zapSize(b *testing.B, path string) (bytes int64) {
	b.Helper()
	err := filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".zap" {
			info, err := d.Info()
			if err != nil {
				return err
			}
			bytes += info.Size()
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return bytes
}
