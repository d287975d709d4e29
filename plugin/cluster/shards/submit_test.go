package shards_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
)

// Batches admit what one loop over all pairs admits, on local and on remote shards.
func TestSubmitBatches(t *testing.T) {
	t.Parallel()
	docs := neartest.Shipped(t)[:200]
	want := map[string]bool{}
	var kept []*signature.Signature
	for _, d := range docs {
		sig := signature.Of(signature.DefaultParams(), []byte(d.Text))
		near := false
		for _, k := range kept {
			near = near || signature.Rule{}.Duplicates(k, &sig)
		}
		if want[d.ID] = !near; !near {
			kept = append(kept, &sig)
		}
	}
	if len(kept) == len(docs) {
		t.Fatal("no near-duplicates: this test shows little")
	}
	for name, c := range map[string]*shards.Set{
		"one":    newTest(t, shards.FailClosed, locals(t, 1)...),
		"local":  newTest(t, shards.FailClosed, locals(t, 4)...),
		"remote": newTest(t, shards.FailClosed, overHTTP(t, locals(t, 4))...),
	} {
		for begin := 0; begin < len(docs); begin += 64 {
			var batch []shards.Document
			for _, d := range docs[begin:min(begin+64, len(docs))] {
				batch = append(batch, shards.Document{ID: d.ID, Data: map[string]any{"text": d.Text}})
			}
			outcomes, err := c.Submit(context.Background(), batch...)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range outcomes {
				if v.ID != batch[i].ID || v.Written != want[v.ID] || v.Written != (v.Of == nil) {
					t.Errorf("%s: got %+v, want written %t", name, v, want[v.ID])
				}
			}
		}
	}
}

// What is wrong with a call is said before anything is asked.
func TestComplaints(t *testing.T) {
	t.Parallel()
	all := locals(t, 2)
	c := newTest(t, shards.FailClosed, all...)
	for _, docs := range [][]shards.Document{
		{{ID: "", Data: map[string]any{"text": letter}}},
		{{ID: "a", Data: map[string]any{"text": letter}}, {ID: "a", Data: map[string]any{"text": "b"}}},
		{{ID: "a"}},
	} {
		if v, err := c.Submit(context.Background(), docs...); err == nil || v != nil {
			t.Errorf("%v: got %v, no error", docs, v)
		}
	}
	if _, err := shards.New(newMapping(), shards.Options{Partial: "perhaps"}, all...); err == nil || !strings.Contains(err.Error(), "perhaps") {
		t.Errorf("got error %v", err)
	}
	if _, err := shards.New(newMapping(), shards.Options{}, all[0], all[0]); err == nil {
		t.Error("the same shard twice: got no error")
	}
	if _, err := shards.New(newMapping(), shards.Options{Field: "none"}, all...); err == nil {
		t.Error("no such field: got no error")
	}
}

// Without the key nothing is read or written, and nothing is taken for "no duplicate".
func TestAuthenticated(t *testing.T) {
	t.Parallel()
	x := locals(t, 1)[0]
	s := httptest.NewServer(shards.Authenticated(key, shards.Handler(x)))
	defer s.Close()
	for _, wrong := range []string{"", "between shard", key + "s"} {
		c := newTest(t, shards.FailOpen, shards.NewRemote("x", s.URL, shards.RemoteOptions{Key: wrong, Tries: 3}))
		v, err := submit(context.Background(), c, fmt.Sprint("id", wrong), map[string]any{"text": letter})
		if !errors.Is(err, shards.ErrPartial) || v.Written {
			t.Errorf("key %q: got %+v, error %v", wrong, v, err)
		}
		if err := c.Write(shards.Document{ID: "a", Data: map[string]any{"text": letter}}); !errors.Is(err, shards.ErrRejected) {
			t.Errorf("key %q: error %v", wrong, err)
		}
	}
	if n, err := x.DocCount(); n != 0 || err != nil {
		t.Errorf("%d documents, error %v", n, err)
	}
}
