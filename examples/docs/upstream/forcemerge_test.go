package upstream

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/index/scorch/mergeplan"

	"github.com/neardup/bleve-neardup/plugin"
)

// merger is what scorch has, and what a type that embeds scorch has.
type merger interface {
	ForceMerge(context.Context, *mergeplan.MergePlanOptions) error
}

func TestForceMergeOfAnotherType(t *testing.T) {
	t.Parallel()
	mapping := bleve.NewIndexMapping()
	plugin.AddSignature(mapping.DefaultMapping, "body")
	index, err := plugin.New("", mapping)
	index = closing(t, index, err)
	inner, err := index.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := inner.(*scorch.Scorch); ok {
		t.Error("an index type that embeds scorch is a *scorch.Scorch")
	}
	if _, ok := inner.(merger); !ok {
		t.Error("an index type that embeds scorch has no method ForceMerge")
	}
}

func TestForceMergeInMemory(t *testing.T) {
	t.Parallel()
	index, err := bleve.New("", bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	write(t, index, "fox", "hen")
	inner, err := index.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		done <- inner.(merger).ForceMerge(ctx, nil)
	}()
	select {
	case err := <-done:
		t.Fatalf("bleve has changed: ForceMerge of an index in memory returns, with error %v; it waited, whatever its context", err)
	case <-time.After(50 * time.Millisecond):
	}
	if err := index.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("bleve has changed: a ForceMerge that did nothing returns %v, returned nil", err)
	}
}

func TestForceMergeAfterWrongOptions(t *testing.T) {
	t.Parallel()
	index, err := bleve.New(filepath.Join(t.TempDir(), "index"), bleve.NewIndexMapping())
	index = closing(t, index, err)
	inner, err := index.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	wrong := &mergeplan.MergePlanOptions{MaxSegmentSize: mergeplan.MaxSegmentSizeLimit + 1}
	if err := inner.(merger).ForceMerge(context.Background(), wrong); err == nil || strings.Contains(err.Error(), "in progress") {
		t.Fatalf("wrong options: got error %v", err)
	}
	if err := inner.(merger).ForceMerge(context.Background(), nil); err == nil || !strings.Contains(err.Error(), "already in progress") {
		t.Errorf("bleve has changed: after wrong options right ones give error %v, gave \"already in progress\"", err)
	}
}
