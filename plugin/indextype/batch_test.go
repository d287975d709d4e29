package indextype_test

import (
	"context"
	"testing"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/internal/calls"
)

// A batch of no document is written all the same: its internal values are, and who waits for
// it is told. The key of a call is not written, and stays in the caller's batch.
func TestBatchWithoutDocuments(t *testing.T) {
	t.Parallel()
	x := open(t, t.TempDir()+"/x", testMapping("body"))
	defer x.Close()
	advanced, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	inner := advanced.(*indextype.Index)
	call := calls.Begin(context.Background(), false)
	defer call.End()
	b := index.NewBatch()
	b.SetInternal([]byte("a"), []byte("value"))
	b.SetInternal(call.Key, []byte{})
	for range 2 { // as one that is tried again
		if err := inner.Batch(b); err != nil {
			t.Fatal(err)
		}
		if len(b.InternalOps) != 2 {
			t.Errorf("the caller's batch has %d internal values left of 2", len(b.InternalOps))
		}
	}
	if v, err := x.GetInternal([]byte("a")); string(v) != "value" || err != nil {
		t.Errorf("got internal value %q, error %v", v, err)
	}
	if v, err := x.GetInternal(call.Key); v != nil || err != nil {
		t.Errorf("the call is written: %q, error %v", v, err)
	}
	told := make(chan error, 1)
	empty := index.NewBatch()
	empty.SetPersistedCallback(func(err error) { told <- err })
	if err := inner.Batch(empty); err != nil {
		t.Fatal(err)
	}
	if err := <-told; err != nil {
		t.Error(err)
	}
	if err := inner.Batch(index.NewBatch()); err != nil {
		t.Errorf("an empty batch: %v", err)
	}
}
