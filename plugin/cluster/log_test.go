package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/cluster"
	"github.com/neardup/bleve-neardup/plugin/cluster/internal/rpc"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
)

// claim claims a text as a node does that then dies.
func (c *nodes) claim(text string) uint64 {
	c.t.Helper()
	sig := signature.Of(signature.DefaultParams(), []byte(text))
	return c.append(cluster.SubjectClaims, map[string]any{"signatures": []*signature.Signature{&sig}})
}

// Who claims and dies holds others up until the claim expires, and no longer; what it
// had written before counts, and what comes of it afterwards does not.
func TestDeadHolder(t *testing.T) {
	t.Parallel()
	const expiry = 2 * time.Second
	c := newNodes(t, 3, func(o *cluster.Options) { o.Expiry = expiry })
	doc := func(id, text string) shards.Document {
		return shards.Document{ID: id, Data: map[string]any{"text": text}}
	}
	began := time.Now() // before a node sees any of the claims
	nothing, before, late := c.claim(text(1)), c.claim(text(2)), c.claim(text(3))
	c.raw(rpc.Place("before", 8), before, doc("before", text(2)))
	v, held := submit(t, c.all["a"], "other", text(4)), c.all["a"].Status().Claims
	if !v.Written || held != 3 && time.Since(began) < expiry/2 {
		t.Errorf("something else: %+v, %d claims are held", v, held)
	}
	if v := submit(t, c.all["a"], "one", text(1)+"copy"); !v.Written || time.Since(began) < expiry {
		t.Errorf("nothing was written: %+v after %v", v, time.Since(began))
	}
	if v := submit(t, c.all["b"], "two", text(2)+"copy"); v.Written || v.Of.ID != "before" {
		t.Errorf("it was written before: %+v", v)
	}
	if v := submit(t, c.all["c"], "three", text(3)+"copy"); !v.Written {
		t.Errorf("it was not written yet: %+v", v)
	}
	c.raw(rpc.Place("late", 8), late, doc("late", text(3)))
	c.raw(rpc.Place("later", 8), nothing, doc("later", text(1)))
	want := []string{"before", "one", "other", "three"}
	if got := ids(t, c); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	// Copies that start again know which claims were revoked, also if they read on after the records that say so.
	c.raw(rpc.Place("latest", 8), 0, doc("next", text(5)))
	want = []string{"before", "next", "one", "other", "three"}
	if got := ids(t, c); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, id := range []string{"a", "b", "c"} {
		c.stop(id)
		c.start(id)
	}
	c.settle(16)
	c.raw(rpc.Place("latest", 8), late, doc("latest", text(3)))
	if got := ids(t, c); !slices.Equal(got, want) {
		t.Errorf("after a start: got %v, want %v", got, want)
	}
}

// revoking is a Log in which a claim is revoked just before its documents come. Then others writes what other nodes do.
type revoking struct {
	cluster.Log
	others func()
	once   sync.Once
}

func (l *revoking) Append(ctx context.Context, subject string, data []byte) (uint64, error) {
	if strings.HasPrefix(subject, "docs.") {
		l.once.Do(func() {
			l.Log.Append(ctx, cluster.SubjectRevoked, data) // which names the claim, too
			l.others()
		})
	}
	return l.Log.Append(ctx, subject, data)
}

// Documents whose claim is revoked before they are in the log are judged again.
func TestRevoked(t *testing.T) {
	t.Parallel()
	bad := new(revoking)
	c := newNodes(t, 2, func(o *cluster.Options) {
		if o.ID == "a" {
			bad.Log = o.Log
			o.Log = bad
		}
	})
	bad.others = func() {}
	if v := submit(t, c.all["a"], "one", text(1)); !v.Written {
		t.Errorf("others wrote nothing: got %+v", v)
	}
	if got, want := ids(t, c), []string{"one"}; !slices.Equal(got, want) {
		t.Errorf("others wrote nothing: got %v, want %v", got, want)
	}
	bad.once = sync.Once{}
	bad.others = func() {
		c.raw(rpc.Place("other", 8), 0, shards.Document{ID: "other", Data: map[string]any{"text": text(2) + "copy"}})
	}
	if v := submit(t, c.all["a"], "two", text(2)); v.Written || v.Of == nil || v.Of.ID != "other" {
		t.Errorf("others wrote a copy: got %+v", v)
	}
	if got, want := ids(t, c), []string{"one", "other"}; !slices.Equal(got, want) {
		t.Errorf("others wrote a copy: got %v, want %v", got, want)
	}
}

// lossy is a Log of which some appends fail, before or after the record is written, and
// some are written only later.
type lossy struct {
	cluster.Log
	n     atomic.Int64
	later atomic.Int64 // appends to come: no WaitGroup, since a node's pulses never stop adding to it
}

var errLost = errors.New("no answer")

func (l *lossy) Append(ctx context.Context, subject string, data []byte) (uint64, error) {
	if !strings.HasPrefix(subject, "docs.") && subject != cluster.SubjectMarks {
		return l.Log.Append(ctx, subject, data)
	}
	switch l.n.Add(1) % 11 {
	case 2:
		return 0, errLost
	case 5:
		l.Log.Append(ctx, subject, data)
		return 0, errLost
	case 8:
		l.later.Add(1)
		go func() {
			defer l.later.Add(-1)
			time.Sleep(20 * time.Millisecond)
			l.Log.Append(context.Background(), subject, data)
		}()
		return 0, errLost
	}
	return l.Log.Append(ctx, subject, data)
}

// Where the log does not say whether it has a document, exactly one of several is
// admitted all the same, as often as they are submitted again.
func TestLossyLog(t *testing.T) {
	t.Parallel()
	bad := new(lossy)
	c := newNodes(t, 3, func(o *cluster.Options) {
		o.Expiry = 2 * time.Second // a submit that takes half of it begins anew, and again on a busy machine
		if o.ID == "a" {
			bad.Log = o.Log
			o.Log = bad
		}
	})
	var all sync.WaitGroup
	var written [20]atomic.Int64
	for i := range written {
		for _, id := range []string{"a", "b"} {
			all.Go(func() {
				for range 200 {
					v, err := c.all[id].Submit(context.Background(), shards.Document{ID: fmt.Sprint(i, id), Data: map[string]any{"text": text(i) + id}})
					if err == nil {
						if v[0].Written {
							written[i].Add(1)
						}
						return
					}
				}
				t.Errorf("%d: never an answer", i)
			})
		}
	}
	all.Wait()
	for bad.later.Load() > 0 {
		time.Sleep(time.Millisecond)
	}
	families := map[string]int{}
	for _, id := range ids(t, c) {
		families[strings.TrimRight(id, "ab")]++
	}
	for i := range written {
		// A document may be in the index whose first answer was lost, and is then no copy of
		// itself; so it is written again, and still one.
		if n := families[fmt.Sprint(i)]; n != 1 || written[i].Load() != 1 {
			t.Errorf("%d: %d in the index, %d written", i, n, written[i].Load())
		}
	}
}
