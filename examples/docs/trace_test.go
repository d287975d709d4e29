package docs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime/trace"
	"testing"

	"github.com/blevesearch/bleve/v2"
	parser "golang.org/x/exp/trace"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// copies returns an index of two copies.
func copies(t *testing.T) bleve.Index {
	t.Helper()
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	x, err := plugin.New(t.TempDir()+"/index", m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	for _, id := range []string{"a", "b"} {
		body := "The quick brown fox jumps over the lazy dog while the cat looks on from the wall."
		if err := x.Index(id, map[string]any{"body": body}); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// search searches in both forms, and for the near-duplicates of one document and of all.
func search(ctx context.Context, t *testing.T, x bleve.Index) {
	t.Helper()
	for _, o := range []collapse.Options{{}, {Whole: true}} {
		result, err := collapse.Search(ctx, x, bleve.NewSearchRequest(bleve.NewMatchQuery("fox")), o)
		if err != nil || result.TotalGroups != 1 {
			t.Error(result, err)
		}
	}
	like := near.SimilarRequest{Query: near.SimilarQuery{ID: "a"}}
	if result, err := near.Similar(ctx, x, like); err != nil || result.Total != 1 {
		t.Error(result, err)
	}
	for _, err := range near.Groups(ctx, x, near.GroupsOptions{}) {
		if err != nil {
			t.Error(err)
		}
	}
}

// TestTrace parses a trace: the library's regions are in the task of the request.
func TestTrace(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("somebody else is tracing")
	}
	x := copies(t)
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	ctx, task := trace.NewTask(t.Context(), "a request")
	search(ctx, t, x)
	task.End()
	trace.Stop()
	r, err := parser.NewReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	tasks, got := map[parser.TaskID]string{}, map[string]int{}
	for {
		e, err := r.ReadEvent()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e.Kind() {
		case parser.EventTaskBegin:
			tasks[e.Task().ID] = e.Task().Type
		case parser.EventRegionBegin:
			got[tasks[e.Region().Task]+" "+e.Region().Type]++
		}
	}
	for name, want := range map[string]int{
		"a request collapse.Search": 2, "a request collapse.bleve": 2, "a request collapse.group": 1, "a request near.Similar": 1, "a request near.Groups": 1,
	} {
		if got[name] != want {
			t.Errorf("%d regions %q, want %d, of %v", got[name], name, want, got)
		}
	}
}
