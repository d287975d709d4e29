package indextype_test

import (
	"context"
	"testing"
	"time"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
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
	b := index.NewBatch()
	b.SetInternal([]byte("a"), []byte("value"))
	var key []byte // of the call
	set := func(k, value []byte) {
		key = k
		b.SetInternal(k, value)
	}
	if _, err := (&gate.Call{Context: context.Background()}).Send(set, func() error {
		for range 2 { // as one that is tried again
			if err := inner.Batch(b); err != nil {
				return err
			}
			if len(b.InternalOps) != 2 {
				t.Errorf("the caller's batch has %d internal values left of 2", len(b.InternalOps))
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if v, err := x.GetInternal([]byte("a")); string(v) != "value" || err != nil {
		t.Errorf("got internal value %q, error %v", v, err)
	}
	if v, err := x.GetInternal(key); v != nil || err != nil {
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

// A batch with which the uses of marks are written, is the caller's as it was, and can be sent again.
func TestBatchStays(t *testing.T) {
	t.Parallel()
	x := newIndex(t)
	advanced, err := x.Advanced()
	if err != nil {
		t.Fatal(err)
	}
	inner := advanced.(*indextype.Index)
	now := time.Now()
	inner.Gate().SetClock(func() time.Time { return now })
	if err := plugin.SetPolicy(context.Background(), x, &admission.Policy{Known: admission.Tag}); err != nil {
		t.Fatal(err)
	}
	sig, err := plugin.Sign(x, plugin.Field, text)
	if err != nil {
		t.Fatal(err)
	}
	if err := inner.SetMark(context.Background(), admission.Mark{Name: "m", Label: admission.Spam, Signature: sig}); err != nil {
		t.Fatal(err)
	}
	b := x.NewBatch()
	if err := b.Index("a", map[string]any{"body": text}); err != nil {
		t.Fatal(err)
	}
	b.SetInternal([]byte("own"), []byte("value"))
	for range 3 {
		if err := x.Batch(b); err != nil {
			t.Fatal(err)
		}
		now = now.Add(2 * time.Minute) // uses are due
	}
	if all, err := typed(x).Marks(); err != nil || len(all) != 1 || all[0].Used != 3 {
		t.Errorf("marks: got %+v, %v", all, err)
	}
}
