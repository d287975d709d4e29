package prometheus_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/prometheus"
)

func Example() {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	x, err := plugin.New("", m)
	if err != nil {
		panic(err)
	}
	defer x.Close()
	client.MustRegister(prometheus.New(x)) // promhttp.Handler serves it
	fmt.Println(testutil.CollectAndCount(prometheus.New(x), "neardup_signed_total"), "metric")
	// Output: 1 metric
}

// figures are the metrics that a registry has, by name.
func figures(t *testing.T, x bleve.Index) map[string]float64 {
	t.Helper()
	registry := client.NewPedanticRegistry()
	registry.MustRegister(prometheus.New(x))
	problems, err := testutil.GatherAndLint(registry)
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		m := f.Metric[0]
		got[f.GetName()] = m.GetCounter().GetValue() + m.GetGauge().GetValue()
	}
	return got
}

func TestFigures(t *testing.T) {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	path := filepath.Join(t.TempDir(), "x")
	x, err := plugin.New(path, m)
	if err != nil {
		t.Fatal(err)
	}
	if err := plugin.SetPolicy(t.Context(), x, &admission.Policy{Near: admission.Tag}); err != nil {
		t.Fatal(err)
	}
	text := "The quick brown fox jumps over the lazy dog while the cat looks on from the wall."
	for id, body := range map[string]string{"a": text, "b": text, "c": ""} {
		if err := x.Index(id, map[string]any{"body": body}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := x.Search(bleve.NewSearchRequest(bleve.NewMatchAllQuery())); err != nil {
		t.Fatal(err)
	}
	got := figures(t, x)
	for name, want := range map[string]float64{
		"bleve_documents": 3, "bleve_searches_total": 1, "neardup_signed_total": 3, "neardup_empty_total": 1,
		"neardup_judged_total": 3, "neardup_tagged_total": 1, "neardup_by_near_total": 1, "neardup_refused": 0,
	} {
		if v, ok := got[name]; !ok || v != want {
			t.Errorf("%s: got %v, %v, want %v", name, v, ok, want)
		}
	}
	if got["bleve_search_seconds_total"] <= 0 || got["bleve_disk_bytes"] <= 0 {
		t.Errorf("got %v", got)
	}
	inner := x.StatsMap()["index"].(map[string]any)
	for name, v := range inner {
		if _, counts := v.(uint64); counts && strings.HasPrefix(name, "neardup_") && !slices.Contains(slices.Collect(maps.Keys(got)), name+"_total") {
			t.Errorf("wanted a metric for %s", name)
		}
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if got := figures(t, x); len(got) > 0 {
		t.Errorf("closed: got %v", got)
	}
	x, err = bleve.OpenUsing(path, map[string]any{"read_only": true})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if got := figures(t, x); got["neardup_refused"] != 1 {
		t.Errorf("read_only: got %v", got)
	}
}

func TestPlainBleve(t *testing.T) {
	x, err := bleve.NewMemOnly(bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for name := range figures(t, x) {
		if !strings.HasPrefix(name, "bleve_") {
			t.Errorf("got %s", name)
		}
	}
}
