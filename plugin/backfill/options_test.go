package backfill_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/backfill"
)

func TestSource(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	m.StoreDynamic = false
	from := plain(t, "", m)
	docs := manuals(t, 10)
	fill(t, from, docs)
	to := signed(t, "", bodyMapping())
	if _, err := backfill.Run(context.Background(), from, to, backfill.Options{}); err == nil || !strings.Contains(err.Error(), `["body" "title"]`) {
		t.Errorf("nothing stored: got %v", err)
	}
	if n, _ := to.DocCount(); n != 0 {
		t.Errorf("%d documents were written in spite of that", n)
	}
	gone := slices.Sorted(maps.Keys(docs))[4]
	broken := errors.New("broken")
	source := func(_ context.Context, id string) (any, error) {
		if id == gone {
			return nil, nil
		}
		return docs[id], broken
	}
	if _, err := backfill.Run(context.Background(), from, to, backfill.Options{Source: source}); !errors.Is(err, broken) || !strings.Contains(err.Error(), "document") {
		t.Errorf("got %v", err)
	}
	broken = nil
	if s := run(t, from, to, backfill.Options{Source: source}); s.Done != 10 || s.LeftOut != 1 {
		t.Errorf("got %+v", s)
	}
	fresh := signed(t, "", bodyMapping())
	delete(docs, gone)
	fill(t, fresh, docs)
	hold(t, to, fresh)
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	from, to := plain(t, "", bleve.NewIndexMapping()), signed(t, "", bodyMapping())
	text := "one two three four five six seven eight nine ten eleven twelve thirteen"
	fill(t, from, map[string]any{
		"a": map[string]any{"body": text}, "b": map[string]any{"body": "something else altogether"}, "c": map[string]any{"body": text},
	})
	if err := plugin.SetPolicy(context.Background(), to, &admission.Policy{Near: admission.Reject}); err != nil {
		t.Fatal(err)
	}
	var refused []string
	s := run(t, from, to, backfill.Options{Batch: 1, Rejected: func(v admission.Verdict) { refused = append(refused, v.ID+" of "+v.Of) }})
	if n, _ := to.DocCount(); n != 2 || s.Done != 3 || s.Rejected != 1 || !slices.Equal(refused, []string{"c of a"}) {
		t.Errorf("%d documents, refused %q, got %+v", n, refused, s)
	}
	// Another source of another name goes into the same target.
	second := plain(t, "", bleve.NewIndexMapping())
	fill(t, second, map[string]any{"d": map[string]any{"body": "and now this"}})
	if s := run(t, second, to, backfill.Options{Name: "second"}); s.Done != 1 {
		t.Errorf("got %+v", s)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	from, to := plain(t, "", bleve.NewIndexMapping()), signed(t, "", bodyMapping())
	ctx := context.Background()
	for want, err := range map[string]error{
		`target: wanted an index of type "neardup", got a *scorch.Scorch`: second(backfill.Run(ctx, from, from, backfill.Options{})),
		"wanted two indexes, got one":                                     second(backfill.Run(ctx, to, to, backfill.Options{})),
		"batch: wanted a number above 0, or 0, got -1":                    second(backfill.Run(ctx, from, to, backfill.Options{Batch: -1})),
		"source: ": second(backfill.Run(ctx, bleve.NewIndexAlias(from, to), to, backfill.Options{})),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("wanted %q, got %v", want, err)
		}
	}
	if err := to.SetInternal([]byte("neardup/backfill/x"), []byte("{")); err != nil {
		t.Fatal(err)
	}
	if _, err := backfill.Run(ctx, from, to, backfill.Options{Name: "x"}); err == nil {
		t.Error("a damaged status is no error")
	}
}

func second(_ backfill.Status, err error) error { return err }

// A target that signs what no document of the source has is an error before anything is written. One property that they
// have is enough. What Options.Source gives is not known.
func TestSignsNothing(t *testing.T) {
	t.Parallel()
	from := plain(t, "", bleve.NewIndexMapping())
	fill(t, from, map[string]any{"a": map[string]any{"body": "a text", "page": map[string]any{"title": "b"}}})
	empty := plain(t, "", bleve.NewIndexMapping())
	source := func(context.Context, string) (any, error) { return map[string]any{"boddy": "a text"}, nil }
	for _, tt := range []struct {
		from       bleve.Index
		properties []string
		o          backfill.Options
		want       string
	}{
		{from, []string{"boddy"}, backfill.Options{}, `wanted the target to sign a property of the source, some of ["body" "page.title"], got ["boddy"]`},
		{from, []string{"boddy", "title"}, backfill.Options{Lossy: true}, `got ["boddy" "title"]`},
		{from, []string{"boddy", "body"}, backfill.Options{}, ""},
		{from, []string{"boddy"}, backfill.Options{Source: source}, ""},
		{empty, []string{"boddy"}, backfill.Options{}, ""},
	} {
		m := bleve.NewIndexMapping()
		plugin.AddSignature(m.DefaultMapping, tt.properties...)
		to := signed(t, "", m)
		_, err := backfill.Run(t.Context(), tt.from, to, tt.o)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%q: wanted the error %q, got %v", tt.properties, tt.want, err)
		}
		if n, _ := to.DocCount(); tt.want != "" && n > 0 {
			t.Errorf("%q: wanted no document, got %d", tt.properties, n)
		}
	}
}
