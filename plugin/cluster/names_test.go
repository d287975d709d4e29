package cluster_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/cluster"
	"github.com/neardup/bleve-neardup/plugin/cluster/internal/rpc"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
)

// change is a call of Submit or of Delete, and what it returned.
type change struct {
	texts    map[string]string // "" for none
	deletes  []string
	outcomes []shards.Outcome
}

// at makes the call at a node.
func (c *change) at(t *testing.T, n *cluster.Node) {
	t.Helper()
	if c.deletes != nil {
		if err := n.Delete(t.Context(), c.deletes...); err != nil {
			t.Error(err)
		}
		return
	}
	var docs []shards.Document
	for _, id := range slices.Sorted(maps.Keys(c.texts)) {
		data := map[string]any{"project": "p"}
		if c.texts[id] != "" {
			data["text"] = c.texts[id]
		}
		docs = append(docs, shards.Document{ID: id, Data: data})
	}
	var err error
	if c.outcomes, err = n.Submit(t.Context(), docs...); err != nil {
		t.Error(err)
	}
}

// after is what the call makes of an index, and whether it returned what plain loops do.
func (c *change) after(n neartest.Names) (neartest.Names, bool) {
	var docs []neartest.Named
	for id, text := range c.texts {
		sig := signature.Of(signature.DefaultParams(), []byte(text))
		docs = append(docs, neartest.Named{ID: id, Sig: &sig})
	}
	next, want := n.Write(docs, c.deletes...)
	return next, slices.EqualFunc(want, c.outcomes, func(w neartest.Named, o shards.Outcome) bool {
		return o.ID == w.ID && o.Group == w.Group && o.Founded == w.Founded && o.Written && o.Of == nil && o.Err == nil
	})
}

// explained finds an order of the changes, one after the other, that gives what they returned, and this index.
func explained(n neartest.Names, changes []*change, names neartest.Names) neartest.Names {
	if len(changes) == 0 && maps.EqualFunc(n, names, func(d, got neartest.Named) bool {
		return d.Group == got.Group && d.Sig.Exact == got.Sig.Exact
	}) {
		return n
	}
	for i, c := range changes {
		next, ok := c.after(n)
		if !ok {
			continue
		}
		rest := slices.Delete(slices.Clone(changes), i, i+1)
		if found := explained(next, rest, names); found != nil {
			return found
		}
	}
	return nil
}

// names has all documents with their texts and the names of their groups.
func names(t *testing.T, n *cluster.Node) neartest.Names {
	t.Helper()
	r := bleve.NewSearchRequestOptions(bleve.NewMatchAllQuery(), 1000, 0, false)
	r.Fields = []string{"text", admission.GroupField}
	res, err := n.Index().SearchInContext(t.Context(), r)
	if err != nil || res.Status.Failed > 0 {
		t.Fatal(err, res)
	}
	all := neartest.Names{}
	for _, h := range res.Hits {
		text, _ := h.Fields["text"].(string)
		group, _ := h.Fields[admission.GroupField].(string)
		sig := signature.Of(signature.DefaultParams(), []byte(text))
		all[h.ID] = neartest.Named{ID: h.ID, Sig: &sig, Group: group}
	}
	return all
}

func naming(o *cluster.Options) { o.Group = true }

// Names are those of plain loops, whatever nodes documents come through, and the same on each copy.
func TestNames(t *testing.T) {
	t.Parallel()
	c := newNodes(t, 2, naming)
	drift := neartest.Drift{Rand: rand.New(rand.NewPCG(3, 8)), IDs: 100}
	model := neartest.Names{}
	rounds, joined, founded := 60, 0, 0
	if testing.Short() {
		rounds = 12
	}
	for round := range rounds {
		call := &change{texts: map[string]string{}}
		for range 1 + drift.IntN(30) {
			id := drift.ID()
			if call.texts[id] = ""; drift.IntN(30) > 0 {
				call.texts[id] = drift.Text(id)
			}
		}
		for _, call := range []*change{call, {deletes: []string{drift.ID(), drift.ID()}}} {
			call.at(t, c.all[string(rune('a'+round%2))])
			c.settled()
			got := names(t, c.all[string(rune('a'+drift.IntN(2)))])
			if model = explained(model, []*change{call}, got); model == nil {
				t.Fatalf("round %d: got %+v, index %v", round, call.outcomes, got)
			}
			for _, o := range call.outcomes {
				if o.Founded {
					founded++
				} else {
					joined++
				}
			}
		}
	}
	if founded < 10 || joined < 100 {
		t.Errorf("%d joined, %d founded: this test shows little", joined, founded)
	}
	c.stop("a") // the other node's copies have read the same log
	if got := names(t, c.all["b"]); explained(model, nil, got) == nil {
		t.Errorf("the other copies: got %v, want %v", got, model)
	}
}

// docsLog remembers the last record of documents.
type docsLog struct {
	cluster.Log
	last *atomic.Uint64
}

func (l docsLog) Append(ctx context.Context, subject string, data []byte) (uint64, error) {
	seq, err := l.Log.Append(ctx, subject, data)
	if strings.HasPrefix(subject, "docs.") {
		l.last.Store(seq)
	}
	return seq, err
}

// A call waits for another node's claim of a document of the same id, and of near-duplicates of the text that it
// replaces or deletes: the names that such a claim gives rest on these.
func TestNamesWait(t *testing.T) {
	t.Parallel()
	var last atomic.Uint64
	c := newNodes(t, 2, func(o *cluster.Options) { o.Group, o.Expiry, o.Log = true, patience, docsLog{o.Log, &last} })
	n, claimed := c.all["a"], func(text string, ids ...string) map[string]any {
		sig := signature.Of(signature.DefaultParams(), []byte(text))
		sums := []uint64{}
		for _, id := range ids {
			sums = append(sums, rpc.Sum([]byte(id)))
		}
		return map[string]any{"signatures": []*signature.Signature{&sig}, "ids": sums}
	}
	for i := range 3 {
		submit(t, n, fmt.Sprint("d", i), text(i))
	}
	for name, tt := range map[string]struct {
		claim map[string]any
		call  func() error
	}{
		"id":      {claimed(text(20), "new"), func() error { submit(t, n, "new", text(21)); return nil }},
		"old":     {claimed(text(0) + "copy"), func() error { submit(t, n, "d0", text(10)); return nil }},
		"deleted": {claimed(text(1) + "copy"), func() error { return n.Delete(t.Context(), "d1", "d2") }},
	} {
		claim := c.append(cluster.SubjectClaims, tt.claim)
		done := make(chan error)
		go func() { done <- tt.call() }()
		time.Sleep(100 * time.Millisecond) // in which one that does not wait gets ahead
		over := c.append(cluster.SubjectMarks, map[string]any{"claim": claim})
		if err := <-done; err != nil {
			t.Fatal(name, err)
		}
		if last.Load() < over {
			t.Errorf("%s: record %d has the documents, and record %d ends the claim", name, last.Load(), over)
		}
	}
	if got := ids(t, c); !slices.Equal(got, []string{"d0", "new"}) {
		t.Errorf("got %q", got)
	}
}

// slowLog is a log that takes a random while for each record, so that calls meet in many ways.
type slowLog struct{ cluster.Log }

func (l slowLog) Append(ctx context.Context, subject string, data []byte) (uint64, error) {
	time.Sleep(rand.N(2 * time.Millisecond))
	seq, err := l.Log.Append(ctx, subject, data)
	time.Sleep(rand.N(2 * time.Millisecond))
	return seq, err
}

func (l slowLog) Read(ctx context.Context, subjects []string, after uint64, deliver func(cluster.Record) error) error {
	return l.Log.Read(ctx, subjects, after, func(r cluster.Record) error {
		time.Sleep(rand.N(time.Millisecond))
		return deliver(r)
	})
}

// What comes at the same time through several nodes, of few documents whose texts form chains, is named as if one call
// had come after another.
func TestNamesAtOnce(t *testing.T) {
	t.Parallel()
	c := newNodesOf(t, 3, 0, func(o *cluster.Options) { o.Group, o.Log = true, slowLog{o.Log} })
	rnd := rand.New(rand.NewPCG(5, 6))
	model := neartest.Names{}
	rounds, alike := 80, 0
	if testing.Short() {
		rounds = 10
	}
	for round := 0; round < rounds || alike < rounds/4 && round < 10*rounds; round++ { // how calls meet is chance
		var changes []*change
		for range 5 {
			call := new(change)
			ids := rnd.Perm(6)[:1+rnd.IntN(2)]
			if call.texts = map[string]string{}; rnd.IntN(5) == 0 {
				call.texts = nil
			}
			for _, id := range ids {
				if call.texts == nil {
					call.deletes = append(call.deletes, fmt.Sprint("d", id))
					continue
				}
				places := make([]bool, 13)
				for i := range rnd.IntN(8) {
					places[i] = true
				}
				call.texts[fmt.Sprint("d", id)] = neartest.Drifted(places)
			}
			changes = append(changes, call)
		}
		var all sync.WaitGroup
		for i, call := range changes {
			all.Go(func() { call.at(t, c.all[string(rune('a'+i%3))]) })
		}
		all.Wait()
		c.settled()
		got := names(t, c.any())
		after := explained(model, changes, got)
		if after == nil {
			for _, call := range changes {
				t.Logf("%v, deletes %v: %+v", slices.Sorted(maps.Keys(call.texts)), call.deletes, call.outcomes)
			}
			t.Fatalf("round %d: no order explains the index %v after %v", round, got, model)
		}
		groups := map[string]bool{}
		for _, d := range got {
			groups[d.Group] = true
		}
		if len(groups) > 1 && len(groups) < len(got) {
			alike++
		}
		model = after
	}
	if alike < rounds/4 {
		t.Errorf("%d of %d rounds with several groups, one of several documents: this test shows little", alike, rounds)
	}
}
