package near_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"

	"github.com/neardup/bleve-neardup/plugin/near"
)

// An iteration sees the index as it was when it began, whatever is written
// meanwhile, and lets go of it when the loop is left.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	x := someGroups(t, 11, 300)
	want := collect(t, near.Groups(context.Background(), x, near.GroupsOptions{}))
	var wait sync.WaitGroup
	i := 0
	for c, err := range near.Groups(context.Background(), x, near.GroupsOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		if line(c) != want[i] {
			t.Errorf("got %s, want %s", line(c), want[i])
		}
		if i++; i == 1 {
			later := relatives(rand.New(rand.NewPCG(12, 12)), 60)
			wait.Go(func() {
				for _, d := range later {
					put(t, x, map[string]any{d.id: d.doc()})
				}
			})
		}
	}
	if i != len(want) {
		t.Errorf("got %d groups, want %d", i, len(want))
	}
	wait.Wait()
}

// The snapshot is let go of when the loop is left, however that happens.
func TestSnapshotClosed(t *testing.T) {
	t.Parallel()
	x := someGroups(t, 13, 100)
	inner, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	reader, err := inner.Reader()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	refs := func() int64 { return reflect.ValueOf(reader.(*scorch.IndexSnapshot)).Elem().FieldByName("refs").Int() }
	before := refs()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for range near.Groups(ctx, x, near.GroupsOptions{}) {
		if refs() <= before {
			t.Error("the snapshot is not held while it is listed")
		}
		break
	}
	if got := len(collect(t, near.Groups(ctx, x, near.GroupsOptions{}))); got < 2 {
		t.Errorf("%d groups: this test shows little", got)
	}
	for range near.Groups(ctx, x, near.GroupsOptions{}) {
		cancel()
	}
	func() {
		defer func() { _ = recover() }()
		for range near.Groups(context.Background(), x, near.GroupsOptions{}) {
			panic("of the caller")
		}
	}()
	for range near.Groups(ctx, bleve.NewIndexAlias(x, groupedRemote{x}), near.GroupsOptions{}) {
	}
	if after := refs(); after != before {
		t.Errorf("the snapshot is held %d times, %d before", after, before)
	}
}
