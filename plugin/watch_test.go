package plugin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"expvar"
	"runtime/trace"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// watched is an index of three copies of a text, the last of which was tagged.
func watched(t *testing.T, path string) bleve.Index {
	t.Helper()
	x := opened(t, path, bodies())
	const body = "The quick brown fox jumps over the lazy dog while the cat looks on from the wall."
	for _, id := range []string{"a", "b", "c"} {
		if id == "c" {
			if err := plugin.SetPolicy(context.Background(), x, &admission.Policy{Near: admission.Tag}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := plugin.Submit(context.Background(), x, id, map[string]any{"body": body}); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// TestTrace looks for the regions that the package comment names. Which task they are
// in is tested in examples/docs, whose module has a parser of traces.
func TestTrace(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("somebody else is tracing")
	}
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Fatal(err)
	}
	defer trace.Stop()
	ctx, x := context.Background(), watched(t, "")
	for _, o := range []collapse.Options{{}, {Whole: true}} {
		request := bleve.NewSearchRequest(bleve.NewMatchQuery("fox"))
		if r, err := collapse.Search(ctx, x, request, o); err != nil || r.TotalGroups != 1 {
			t.Fatal(r, err)
		}
	}
	if r, err := near.Similar(ctx, x, near.SimilarRequest{Query: near.SimilarQuery{ID: "a"}}); err != nil || r.Total != 2 {
		t.Fatal(r, err)
	}
	for _, err := range near.Groups(ctx, x, near.GroupsOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	trace.Stop()
	for _, region := range []string{"collapse.Search", "collapse.bleve", "collapse.group", "near.Similar", "near.Groups", "admission.Judge"} {
		if !bytes.Contains(out.Bytes(), []byte(region)) {
			t.Errorf("no region %s in the trace", region)
		}
	}
}

// TestExpvar reads what bleve publishes of an index.
func TestExpvar(t *testing.T) {
	path := t.TempDir() + "/index"
	watched(t, path)
	var all struct {
		Indexes map[string]struct{ Index map[string]any }
	}
	text := expvar.Get("bleve").String()
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&all); err != nil {
		t.Fatal(err)
	}
	got := all.Indexes[path].Index
	for name, want := range map[string]float64{"neardup_signed": 3, "neardup_judged": 3, "neardup_tagged": 1, "neardup_by_near": 1} {
		if got[name] != want {
			t.Errorf("expvar has %s %v, want %v", name, got[name], want)
		}
	}
}

// TestCallbacks: what bleve calls through the context it calls in a collapsed search as well.
func TestCallbacks(t *testing.T) {
	x := watched(t, "")
	var read uint64
	count := search.SearchIncrementalCostCallbackFn(func(message search.SearchIncrementalCostCallbackMsg, _ search.SearchQueryType, n uint64) {
		if message == search.AddM {
			read += n
		}
	})
	ctx := context.WithValue(context.Background(), search.SearchIncrementalCostKey, count)
	for _, o := range []collapse.Options{{}, {Whole: true}} {
		read = 0
		if _, err := collapse.Search(ctx, x, bleve.NewSearchRequest(bleve.NewMatchQuery("fox")), o); err != nil || read == 0 {
			t.Errorf("whole %v: bleve told of %d bytes read, error %v", o.Whole, read, err)
		}
	}
}
