package plugin_test

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/document"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// advanced are documents as IndexAdvanced takes them: their fields can be counted.
func advanced(t *testing.T, x bleve.Index) map[string]*document.Document {
	t.Helper()
	all := map[string]*document.Document{}
	for id, data := range map[string]any{
		"text":    map[string]any{"body": "the quick brown fox jumps over the lazy dog while the cat looks on from the wall", "title": "fox"},
		"copy":    map[string]any{"body": "The Quick brown fox jumps over the lazy dog while the cat looks on from the wall", "title": "dog"},
		"no text": map[string]any{"title": "fox fox"},
		"empty":   map[string]any{},
		"parts":   map[string]any{"parts": []any{map[string]any{"title": "one"}, map[string]any{"title": "fox"}}},
	} {
		d := document.NewDocument(id)
		if err := x.Mapping().MapDocument(d, data); err != nil {
			t.Fatal(err)
		}
		all[id] = d
	}
	return all
}

// A batch is what it was after any way of writing it, and what is written by it again is
// what was written first.
func TestBatchStays(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	parts := bleve.NewNestedDocumentMapping()
	parts.AddFieldMappingsAt("title", bleve.NewTextFieldMapping())
	m.DefaultMapping.AddSubDocumentMapping("parts", parts)
	x := opened(t, filepath.Join(t.TempDir(), "x"), m)
	if err := plugin.SetPolicy(context.Background(), x, &admission.Policy{Near: admission.Tag}); err != nil {
		t.Fatal(err)
	}
	b := x.NewBatch()
	docs := advanced(t, x)
	for _, d := range docs {
		if err := b.IndexAdvanced(d); err != nil {
			t.Fatal(err)
		}
	}
	b.Delete("gone")
	b.SetInternal([]byte("key"), []byte("value"))
	var persisted atomic.Int64
	b.SetPersistedCallback(func(error) { persisted.Add(1) })

	shape := func() string {
		ops := strings.Split(b.String(), "\n") // of a map
		var text []string
		for id, d := range docs {
			text = append(text, fmt.Sprintln(id, len(d.Fields)))
			d.VisitComposite(func(c index.CompositeField) {
				text = append(text, fmt.Sprintln(id, c.Name(), c.AnalyzedLength(), len(c.AnalyzedTokenFrequencies())))
			})
		}
		slices.Sort(ops)
		slices.Sort(text)
		return fmt.Sprint(ops, text)
	}
	scores := func() map[string]float64 {
		all := map[string]float64{}
		for _, field := range []string{"", "title", "body"} {
			q := bleve.NewMatchQuery("fox one")
			q.SetField(field)
			res, err := x.Search(bleve.NewSearchRequest(q))
			if err != nil {
				t.Fatal(err)
			}
			for _, hit := range res.Hits {
				all[field+" "+hit.ID] = hit.Score
			}
		}
		for id := range docs { // each has one id
			res, err := x.Search(bleve.NewSearchRequest(bleve.NewDocIDQuery([]string{id})))
			if err != nil || res.Total != 1 {
				t.Fatalf("%q: %v, %v", id, res, err)
			}
		}
		return all
	}
	before := shape()
	var want map[string]float64
	for round := range 3 {
		for name, write := range map[string]func() error{
			"SubmitBatch": func() error { _, err := plugin.SubmitBatch(context.Background(), x, b); return err },
			"DryRun":      func() error { _, err := plugin.DryRun(context.Background(), x, b); return err },
			"Batch":       func() error { return x.Batch(b) },
		} {
			if err := write(); err != nil {
				t.Fatal(err)
			}
			if got := shape(); got != before {
				t.Fatalf("%s, round %d: the batch was\n%s\nand is\n%s", name, round, before, got)
			}
		}
		got := scores()
		if want == nil {
			want = got
		}
		if !reflect.DeepEqual(got, want) || len(got) < 4 {
			t.Fatalf("round %d: scores %v, want %v", round, got, want)
		}
	}
	if value, err := x.GetInternal([]byte("key")); string(value) != "value" || err != nil {
		t.Errorf("the internal value is %q, %v", value, err)
	}
	told := persisted.Load()
	if _, err := plugin.SubmitBatch(context.Background(), x, b); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); persisted.Load() == told; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nobody was told that the batch is on disk")
		}
	}
	if _, err := plugin.SubmitBatch(context.Background(), x, nil); err == nil || !strings.Contains(err.Error(), "wanted a batch, got nil") {
		t.Errorf("no batch: got %v", err)
	}
}
