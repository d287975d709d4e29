package plugin_test

import (
	"context"
	"crypto/rand"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/explain"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/backfill"
	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/near"
)

const foxes = "the quick brown fox jumps over the lazy dog while the cat looks on from the wall"

// asked are all ways to ask something of an index; to is another.
func asked(x, to bleve.Index) map[string]func() error {
	ctx := context.Background()
	all := func() *bleve.SearchRequest { return bleve.NewSearchRequest(bleve.NewMatchAllQuery()) }
	search := func(o collapse.Options) func() error {
		return func() error { _, err := collapse.Search(ctx, x, all(), o); return err }
	}
	like := near.SimilarQuery{Signature: must(plugin.Sign(to, plugin.Field, foxes))}
	batch := func() *bleve.Batch {
		b := x.NewBatch()
		if err := b.Index("more", map[string]any{"body": "more"}); err != nil {
			panic(err)
		}
		return b
	}
	return map[string]func() error{
		"bleve.Search":          func() error { _, err := x.Search(all()); return err },
		"bleve.Index":           func() error { return x.Index("a", map[string]any{"body": foxes}) },
		"collapse.Search":       search(collapse.Options{}),
		"collapse.Search whole": search(collapse.Options{Whole: true}),
		"serve.Request":         func() error { _, err := (&serve.Request{SearchRequest: all()}).Search(ctx, x); return err },
		"collapse.Search inner": search(collapse.Options{InnerHits: []collapse.InnerHits{{Name: "a", Size: 3}}, Explain: &explain.Options{}}),
		"collapse.Search any":   search(collapse.Options{Missing: collapse.KeepMissing}),
		"collapse.Query": func() error {
			_, err := x.Search(bleve.NewSearchRequest(collapse.NewQuery(bleve.NewMatchAllQuery(), collapse.Options{})))
			return err
		},
		"near.Similar id": func() error {
			_, err := near.Similar(ctx, x, near.SimilarRequest{Query: near.SimilarQuery{ID: "a"}})
			return err
		},
		"near.Similar text": func() error {
			_, err := near.Similar(ctx, x, near.SimilarRequest{Query: near.SimilarQuery{Text: []string{foxes}}})
			return err
		},
		"near.Similar signature": func() error { _, err := near.Similar(ctx, x, near.SimilarRequest{Query: like}); return err },
		"near.Groups": func() error {
			for _, err := range near.Groups(ctx, x, near.GroupsOptions{MinSize: 1}) {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"backfill.Run from": func() error {
			_, err := backfill.Run(ctx, x, to, backfill.Options{Lossy: true, Name: rand.Text()})
			return err
		},
		"backfill.Run to": func() error {
			_, err := backfill.Run(ctx, to, x, backfill.Options{Lossy: true, Name: rand.Text()})
			return err
		},
		"plugin.SetPolicy": func() error { return plugin.SetPolicy(context.Background(), x, &admission.Policy{Near: admission.Tag}) },
		"plugin.Submit": func() error {
			_, err := plugin.Submit(context.Background(), x, "b", map[string]any{"body": foxes})
			return err
		},
		"plugin.SubmitBatch": func() error { _, err := plugin.SubmitBatch(context.Background(), x, batch()); return err },
		"plugin.DryRun":      func() error { _, err := plugin.DryRun(context.Background(), x, batch()); return err },
		"plugin.Of":          func() error { _, err := plugin.Of(x); return err },
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// closable makes an index with two documents.
func closable(t *testing.T, path string) bleve.Index {
	t.Helper()
	x, err := plugin.New(path, bodies())
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"a", "copy"} {
		if err := x.Index(id, map[string]any{"body": foxes}); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// What is asked of a closed index is bleve's error that it is closed.
func TestClosed(t *testing.T) {
	t.Parallel()
	to := closable(t, "")
	defer to.Close()
	for _, path := range []string{"", filepath.Join(t.TempDir(), "x")} {
		x := closable(t, path)
		all := asked(x, to)
		for name, ask := range all {
			if err := ask(); err != nil {
				t.Fatalf("open: %s: %v", name, err)
			}
		}
		inner := must(x.Advanced()).(*indextype.Index)
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		all["Index.MarkText"] = func() error { return inner.MarkText(t.Context(), "m", admission.Spam, foxes) }
		all["Index.MarkDocument"] = func() error { return inner.MarkDocument(t.Context(), "m", admission.Wanted, "a") }
		all["Index.Unmark"] = func() error { return inner.Unmark(t.Context(), "none") }
		all["Index.Marks"] = func() error { _, err := inner.Marks(); return err }
		all["Index.Purge"] = func() error { return inner.Purge(t.Context()) }
		all["Index.Reader"] = func() error { _, err := inner.Reader(); return err }
		all["Index.Delete"] = func() error { return inner.Delete("a") }
		all["Index.SetInternal"] = func() error { return inner.SetInternal([]byte("a"), nil) }
		all["Index.ForceMerge"] = func() error { return inner.ForceMerge(t.Context(), nil) }
		all["Index.UpdateFields"] = func() error { return inner.UpdateFields(nil, nil) }
		for name, ask := range all {
			err := ask()
			if !errors.Is(err, bleve.ErrorIndexClosed) {
				t.Errorf("%s of %q: got error %v, want %v", name, path, err, bleve.ErrorIndexClosed)
			}
		}
		if n := x.StatsMap()["index"].(map[string]any)["neardup_signed"]; n == uint64(0) {
			t.Error("what was counted is forgotten")
		}
		if indextype.ErrClosed.(interface{ Is(error) bool }).Is(bleve.ErrorIndexPathExists) {
			t.Error("the error is taken for another")
		}
	}
}

// A plain index, whose scorch hands out nil snapshots once it is closed, is the same.
func TestClosedPlain(t *testing.T) {
	t.Parallel()
	to := closable(t, "")
	defer to.Close()
	x, err := bleve.New(filepath.Join(t.TempDir(), "x"), bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	for name, ask := range asked(x, to) {
		err := ask()
		if name == "backfill.Run to" && err != nil { // it is of the wrong type besides
			continue
		}
		if !errors.Is(err, bleve.ErrorIndexClosed) {
			t.Errorf("%s: got error %v, want %v", name, err, bleve.ErrorIndexClosed)
		}
	}
}

// The same where the index is closed in the midst of what is asked.
func TestClosing(t *testing.T) {
	t.Parallel()
	to := closable(t, "")
	defer to.Close()
	for round := range 2 {
		path := ""
		if round%2 == 0 {
			path = filepath.Join(t.TempDir(), "x")
		}
		x := closable(t, path)
		var begun, done sync.WaitGroup
		for name, ask := range asked(x, to) {
			begun.Add(1)
			done.Go(func() {
				err := ask()
				for begun.Done(); err == nil; {
					err = ask()
				}
				if !errors.Is(err, bleve.ErrorIndexClosed) {
					t.Errorf("%s: got error %v, want %v", name, err, bleve.ErrorIndexClosed)
				}
			})
		}
		begun.Wait()
		time.Sleep(time.Duration(round) * time.Millisecond)
		if err := x.Close(); err != nil {
			t.Error(err)
		}
		done.Wait()
	}
}
