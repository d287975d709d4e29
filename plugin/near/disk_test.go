package near_test

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// writer writes texts of 400 words: words as frequent as in the manuals.
type writer struct {
	rnd   *rand.Rand
	words []string
}

func newWriter(t testing.TB) *writer {
	w := &writer{rnd: rand.New(rand.NewPCG(31, 32))}
	for _, d := range neartest.Shipped(t) {
		w.words = append(w.words, strings.Fields(d.Text)...)
	}
	return w
}

func (w *writer) text() string {
	var b strings.Builder
	for range 400 {
		b.WriteString(w.words[w.rnd.IntN(len(w.words))])
		b.WriteByte(' ')
	}
	return b.String()
}

// unindexed makes the text itself stored, and no more.
func unindexed(body *mapping.FieldMapping, _ map[string]any) {
	body.Index, body.IncludeInAll, body.DocValues, body.IncludeTermVectors = false, false, false, false
}

var diskDocs = flag.Int("passages.docs", 300, "documents of 400 words in the indexes of TestDisk, a multiple of 100")

// What an index of type neardup writes besides the text, for a document of 400 words, once segments
// are merged. Terms take the more the more documents there are:
//
//	go test -run Disk -v ./plugin/near -passages.docs 20000
func TestDisk(t *testing.T) {
	t.Parallel()
	w := newWriter(t)
	texts := make([]string, *diskDocs)
	for i := range texts {
		texts[i] = w.text()
	}
	body := bleve.NewTextFieldMapping()
	unindexed(body, nil)
	m := bleve.NewIndexMapping()
	m.DefaultMapping.AddFieldMappingsAt("body", body)
	plain := disk(t, scorch.Name, m, texts)
	of := func(options map[string]any) float64 {
		return disk(t, indextype.Name, with(t, 50, unindexed, func(_ *mapping.FieldMapping, config map[string]any) {
			delete(config, "passages")
			maps.Copy(config, options)
		}), texts)
	}
	signed := of(nil)
	for _, tt := range []struct {
		what        string
		bytes       float64
		least, most float64
	}{
		{"signature", signed - plain, 320, 370},
		{"terms of bands besides", of(map[string]any{"terms": "bands"}) - signed, 120, 250},
		{"passages of 50 words besides", of(map[string]any{"passages": 50}) - signed, 80, 200},
	} {
		t.Logf("%s: %.0f bytes a document", tt.what, tt.bytes)
		if tt.bytes < tt.least || tt.bytes > tt.most {
			t.Errorf("%s: wanted %v to %v", tt.what, tt.least, tt.most)
		}
	}
}

// disk returns how many bytes a document takes in a merged index of some type.
func disk(t *testing.T, kind string, m mapping.IndexMapping, texts []string) float64 {
	t.Helper()
	dir := t.TempDir()
	x, err := bleve.NewUsing(filepath.Join(dir, "x"), m, kind, bleve.Config.DefaultKVStore, nil)
	if err != nil {
		t.Fatal(err)
	}
	for begin := 0; begin < len(texts); begin += 100 {
		b := x.NewBatch()
		for i, text := range texts[begin : begin+100] {
			if err := b.Index(fmt.Sprint(begin+i), map[string]any{"body": text}); err != nil {
				t.Fatal(err)
			}
		}
		if err := x.Batch(b); err != nil {
			t.Fatal(err)
		}
	}
	inner, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	merger := inner.(interface {
		ForceMerge(context.Context, *mergeplan.MergePlanOptions) error
	})
	if err := merger.ForceMerge(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := x.(bleve.IndexCopyable).CopyTo(bleve.FileSystemDirectory(filepath.Join(dir, "copy"))); err != nil { // without segments that were merged away
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	size := int64(0)
	err = filepath.WalkDir(filepath.Join(dir, "copy"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".zap" {
			info, err := d.Info()
			if err != nil {
				return err
			}
			size += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return float64(size) / float64(len(texts))
}
