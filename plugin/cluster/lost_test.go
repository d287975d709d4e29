package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin/cluster"
	"github.com/neardup/bleve-neardup/plugin/cluster/internal/rpc"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
)

// everything are the subjects of a log of 8 partitions.
func everything() []string {
	all := []string{cluster.SubjectClaims, cluster.SubjectMarks, cluster.SubjectRevoked}
	for i := range 8 {
		all = append(all, cluster.SubjectDocs(fmt.Sprint(i)))
	}
	return all
}

// records are those of a log.
func records(t *testing.T, l cluster.Log) (all []cluster.Record) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	last, err := l.Append(ctx, cluster.SubjectMarks, []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	end := errors.New("end")
	err = l.Read(ctx, everything(), 0, func(r cluster.Record) error {
		if r.Seq == last {
			return end
		}
		all = append(all, r)
		return nil
	})
	if !errors.Is(err, end) {
		t.Fatal(err)
	}
	return all
}

// eventually waits until what returns "".
func eventually(t *testing.T, what func() string) {
	t.Helper()
	for until := time.Now().Add(time.Minute); what() != ""; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal(what())
		}
	}
}

// closed asserts that nothing is written, and that a search says that it lacks so many
// partitions.
func (c *nodes) closed(lack int) {
	c.t.Helper()
	n := c.any()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for i := range 3 {
		v, err := n.Submit(ctx, shards.Document{ID: fmt.Sprint("copy ", i), Data: map[string]any{"text": text(1000)}})
		if err == nil || len(v) > 0 && v[0].Written {
			c.t.Errorf("submit: got %+v, %v", v, err)
		}
	}
	res, err := n.Search(ctx, bleve.NewSearchRequest(bleve.NewMatchAllQuery()), collapse.Options{})
	if lack < 8 {
		if !errors.Is(err, shards.ErrPartial) || res == nil || len(shards.Missing(res.Status)) != lack {
			c.t.Errorf("search: got %v", err)
		}
	} else if err == nil {
		c.t.Errorf("search: got %d matches without an error", res.Total)
	}
	if n.Status().Err() == nil {
		c.t.Error("the node says that all is well")
	}
}

// stopOnDisk stops a node that has on disk all that it has read. bleve does not wait for the disk: what is not there
// when a node stops it reads again when it starts.
func (c *nodes) stopOnDisk(id string) {
	c.t.Helper()
	for until := time.Now().Add(time.Minute); ; c.start(id) {
		c.settle(8)
		c.settled()
		copies := c.all[id].Status().Partitions
		c.stop(id)
		lacking := 0
		for name, p := range copies {
			x, err := bleve.OpenUsing(filepath.Join(c.dirs[id], name+".pindex", "bleve"), map[string]any{"read_only": true})
			if err != nil {
				c.t.Fatal(err)
			}
			if n, err := x.DocCount(); n != p.Docs || err != nil {
				lacking++
			}
			if err := x.Close(); err != nil {
				c.t.Fatal(err)
			}
		}
		if lacking == 0 {
			return
		}
		if time.Now().After(until) {
			c.t.Fatalf("%d copies are not on disk", lacking)
		}
	}
}

// A copy belongs to the log that it was written from: where another one is in its place, or
// none, nothing is ready and nothing is written; with the log back, all is as before.
func TestOtherLog(t *testing.T) {
	t.Parallel()
	c := newNodes(t, 1, nil)
	for i := range 30 {
		submit(t, c.any(), fmt.Sprint("doc ", i), text(i))
	}
	want, old := strings.Join(ids(t, c), " "), c.log
	c.stop("a")
	other := new(cluster.MemLog)
	c.log = other
	c.start("a")
	eventually(t, func() string {
		for name, p := range c.any().Status().Partitions {
			if p.Ready || !strings.Contains(p.Failure, cluster.ErrLog.Error()) {
				return fmt.Sprintf("%s: got %+v", name, p)
			}
		}
		return ""
	})
	c.closed(8)
	_, err := c.any().Submit(context.Background(), shards.Document{ID: "x", Data: map[string]any{"text": text(7)}})
	if !errors.Is(err, cluster.ErrLog) || !errors.Is(c.any().Delete(context.Background(), "doc 1"), cluster.ErrLog) {
		t.Errorf("submit: got %v", err)
	}
	if err := c.any().Create(2, 0); !errors.Is(err, cluster.ErrLog) {
		t.Errorf("create: got %v", err)
	}
	if n := len(records(t, other)); n != 0 {
		t.Errorf("the other log got %d records", n)
	}
	c.stop("a")
	c.log = old
	c.start("a")
	c.settle(8)
	if got := strings.Join(ids(t, c), " "); got != want {
		t.Errorf("with its log: got %q, want %q", got, want)
	}
}

// known is a log under another one's identity.
type known struct {
	cluster.Log
	identity string
}

func (k known) Open(context.Context, bool) (string, error) { return k.identity, nil }

// A log that has lost its last records is not the one that copies of these were written
// from, however far it grows again; the others are.
func TestCutLog(t *testing.T) {
	t.Parallel()
	c := newNodes(t, 1, nil)
	for i := range 30 {
		submit(t, c.any(), fmt.Sprint("doc ", i), text(i))
	}
	c.stopOnDisk("a")
	all := records(t, c.log)
	identity, err := c.log.Open(context.Background(), false)
	if err != nil {
		t.Fatal(err)
	}
	last := map[string]uint64{} // record of a partition
	for _, r := range all {
		if n, ok := strings.CutPrefix(r.Subject, "docs."); ok {
			last[n] = r.Seq
		}
	}
	cut, kept := last["3"], new(cluster.MemLog)
	lost := map[string]bool{}
	for n, seq := range last {
		lost[n] = seq >= cut
	}
	if len(last) != 8 || !lost["3"] {
		t.Fatalf("got %v", last)
	}
	for _, r := range all[:cut-1] {
		if seq, err := kept.Append(context.Background(), r.Subject, r.Data); err != nil || seq != r.Seq {
			t.Fatal(seq, err)
		}
	}
	c.log = known{kept, identity}
	missing := 0
	for range 2 { // once more after another start, when the log is longer than it ever was
		c.start("a")
		for range 2 * len(all) {
			if _, err := kept.Append(context.Background(), cluster.SubjectMarks, []byte("{}")); err != nil {
				t.Fatal(err)
			}
		}
		eventually(t, func() string {
			missing = 0
			for name, p := range c.any().Status().Partitions {
				if p.Ready == lost[p.Partition] || lost[p.Partition] && !strings.Contains(p.Failure, cluster.ErrLog.Error()) {
					return fmt.Sprintf("%s: lost %v, got %+v", name, lost[p.Partition], p)
				}
				if lost[p.Partition] {
					missing++
				}
			}
			return ""
		})
		c.closed(missing)
		c.stop("a")
	}
	t.Logf("%d of 8 partitions are lost", missing)
}

// switched is a log that another one can take the place of.
type switched struct{ atomic.Pointer[cluster.Log] }

func (s *switched) Open(ctx context.Context, create bool) (string, error) {
	return (*s.Load()).Open(ctx, create)
}

func (s *switched) Append(ctx context.Context, subject string, data []byte) (uint64, error) {
	return (*s.Load()).Append(ctx, subject, data)
}

func (s *switched) Read(ctx context.Context, subjects []string, after uint64, deliver func(cluster.Record) error) error {
	return (*s.Load()).Read(ctx, subjects, after, deliver)
}

// A log that is replaced while nodes are at work is noticed by its numbers, even under the
// same identity.
func TestLogReplaced(t *testing.T) {
	t.Parallel()
	log := new(switched)
	first := cluster.Log(known{new(cluster.MemLog), "one"})
	log.Store(&first)
	c := newNodes(t, 1, func(o *cluster.Options) { o.Log = log })
	c.log = log
	for i := range 10 {
		submit(t, c.any(), fmt.Sprint("doc ", i), text(i))
	}
	second := cluster.Log(known{new(cluster.MemLog), "one"})
	log.Store(&second)
	v, err := c.any().Submit(context.Background(), shards.Document{ID: "copy", Data: map[string]any{"text": text(3)}})
	if !errors.Is(err, cluster.ErrLog) {
		t.Errorf("got %+v, %v", v, err)
	}
	c.closed(8)
}

// Ids are bytes: what is acknowledged is in the index under its id, over HTTP between nodes
// too, and what is too long is refused before anything is written.
func TestBinaryIDs(t *testing.T) {
	t.Parallel()
	c := newNodes(t, 2, nil)
	var docs []shards.Document
	want := map[string]bool{}
	long := strings.Repeat("\u00ff", cluster.MaxID/2)
	for i, id := range []string{"a\u0080", "a\u0081", "a\ufffd", `a\ufffd`, `{"base64":"YYA="}`, "\x00", "\u00ff", "\u2028<&>", long[2:] + "ab", long} {
		docs = append(docs, shards.Document{ID: id, Data: map[string]any{"text": text(i)}})
		want[id] = true
	}
	outcomes, err := c.all["a"].Submit(context.Background(), docs...)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range outcomes {
		if !v.Written || v.ID != docs[i].ID {
			t.Errorf("%.20q: got %v of %.20q", docs[i].ID, v.Written, v.ID)
		}
	}
	check := func() {
		t.Helper()
		got := ids(t, c)
		for _, id := range got {
			if !want[id] {
				t.Errorf("got %.40q", id)
			}
		}
		if len(got) != len(want) {
			t.Errorf("got %d documents, want %d", len(got), len(want))
		}
	}
	check()
	for i, d := range docs { // a copy names what it is a copy of
		v, err := c.all["b"].Submit(context.Background(), shards.Document{ID: fmt.Sprint("copy ", i), Data: d.Data})
		if err != nil || v[0].Written || v[0].Of.ID != d.ID {
			t.Errorf("copy of %.20q: got %+v, %v", d.ID, v, err)
		}
	}
	for _, n := range c.all { // page by page
		seen := map[string]bool{}
		var o collapse.Options
		for {
			r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 3, 0, false)
			res, err := n.Search(context.Background(), r, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, hit := range res.Hits {
				if seen[hit.ID] || !want[hit.ID] {
					t.Errorf("%.40q is shown twice, or is of none", hit.ID)
				}
				seen[hit.ID] = true
			}
			if o.Cursor = res.Next; o.Cursor == nil {
				break
			}
		}
		if len(seen) != len(want) {
			t.Errorf("pages show %d of %d", len(seen), len(want))
		}
	}
	if v, err := c.all["a"].Submit(context.Background(), shards.Document{ID: "fine", Data: map[string]any{"text": text(99)}}, shards.Document{ID: long + "x", Data: map[string]any{"text": text(98)}}); err == nil {
		t.Errorf("too long: got %+v", v)
	}
	if err := c.all["a"].Delete(context.Background(), "a\u0080", long); err != nil {
		t.Fatal(err)
	}
	delete(want, "a\u0080")
	delete(want, long)
	check()
}

// No record has the megabyte that NATS takes, whatever documents come together.
func TestRecords(t *testing.T) {
	t.Parallel()
	c := newNodes(t, 1, nil)
	long := strings.Repeat("\x00", cluster.MaxID)
	docs := []shards.Document{{ID: long, Data: map[string]any{"text": strings.Repeat("a", cluster.MaxDocument-100)}}}
	for i := 0; len(docs) < 5; i++ { // all in one partition, before the long one
		if id := fmt.Sprint(i); rpc.Place(id, 8) == rpc.Place(long, 8) {
			docs = slices.Insert(docs, 0, shards.Document{ID: id, Data: map[string]any{"text": strings.Repeat("b", 60_000) + id}})
		}
	}
	if _, err := c.any().Submit(t.Context(), docs...); err != nil {
		t.Fatal(err)
	}
	if got := ids(t, c); len(got) != len(docs) {
		t.Errorf("got %d documents, want %d", len(got), len(docs))
	}
	of := 0 // documents
	for _, r := range records(t, c.log) {
		if len(r.Data) >= 1<<20 {
			t.Errorf("%s: got a record of %d bytes", r.Subject, len(r.Data))
		}
		if strings.HasPrefix(r.Subject, "docs.") {
			of++
		}
	}
	if of != 2 {
		t.Errorf("got %d records of documents, want 2", of)
	}
}
