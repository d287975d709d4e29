package upstream

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/document"
	index "github.com/blevesearch/bleve_index_api"
)

func TestDocValueFlags(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name            string
		options         index.FieldIndexingOptions
		written, merged int // right doc values
	}{
		{"no flag", index.IndexField | index.DocValues, documents, documents},
		{"both flags", index.IndexField | index.DocValues | index.SkipDVCompression | index.SkipDVChunking, documents, documents},
		{"without compression", index.IndexField | index.DocValues | index.SkipDVCompression, documents, 0},
		{"without chunks", index.IndexField | index.DocValues | index.SkipDVChunking, 0, 0},
		{"not indexed", index.DocValues, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			written, merged, said := kept(t, c.options)
			if written != c.written || merged != c.merged {
				t.Errorf("bleve has changed: %d of %d doc values are right as written, and %d after a merge; these were %d and %d\n%s",
					written, documents, merged, c.written, c.merged, said)
			}
		})
	}
}

const documents = 8

// kept writes documents in two segments. It returns how many doc values are right before and after the
// segments are merged, and what is wrong. Before is an index in memory: on disk bleve merges small segments
// as soon as it likes.
func kept(t *testing.T, options index.FieldIndexingOptions) (written, merged int, wrong string) {
	t.Helper()
	written, _ = right(t, halves(t, "", options))
	x := halves(t, filepath.Join(t.TempDir(), "index"), options)
	inner, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	if err := inner.(merger).ForceMerge(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	merged, wrong = right(t, x)
	return written, merged, wrong
}

// halves makes an index of documents in two batches. Without a path the index is in memory.
func halves(t *testing.T, path string, options index.FieldIndexingOptions) bleve.Index {
	t.Helper()
	x, err := bleve.New(path, bleve.NewIndexMapping())
	x = closing(t, x, err)
	analyzer := x.Mapping().AnalyzerNamed(keyword.Name)
	for half := range 2 {
		batch := x.NewBatch()
		for i := half * documents / 2; i < (half+1)*documents/2; i++ {
			if err := batch.IndexAdvanced(valued(i, options, analyzer)); err != nil {
				t.Fatal(err)
			}
		}
		if err := x.Batch(batch); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

func valued(i int, options index.FieldIndexingOptions, analyzer analysis.Analyzer) *document.Document {
	d := document.NewDocument(fmt.Sprint(i))
	d.AddField(document.NewTextFieldCustom("value", nil, fmt.Appendf(nil, "value of %d", i), options, analyzer))
	return d
}

// right returns how many doc values are right, and what the others are.
func right(t *testing.T, x bleve.Index) (n int, wrong string) {
	t.Helper()
	inner, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	reader, err := inner.Reader()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	for i := range documents {
		switch got, err := value(reader, fmt.Sprint(i)); {
		case got == fmt.Sprint("value of ", i) && err == nil:
			n++
		default:
			wrong += fmt.Sprintf("document %d has %q, error %v\n", i, got, err)
		}
	}
	return n, wrong
}

// value returns the doc values of a document. A panic is an error.
func value(reader index.IndexReader, id string) (all string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	number, err := reader.InternalID(id)
	if err != nil {
		return "", err
	}
	values, err := reader.DocValueReader([]string{"value"})
	if err != nil {
		return "", err
	}
	err = values.VisitDocValues(number, func(_ string, term []byte) { all += string(term) })
	return all, err
}
