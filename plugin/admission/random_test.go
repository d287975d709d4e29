package admission_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// Random operations on an index, each read from a few bytes of the fuzzer's, against
// the naive gate of model_test.go and the plain loops of searches_test.go.

// driver carries out operations on an index and on its model.
type driver struct {
	testing.TB
	model
	data  []byte
	index bleve.Index
	first string // the name of the policy that it begins with, "" for none
	none  bool   // no policy is in force
	path  string // empty in memory
	hour  int
	last  []page // of the batch before, with last deletes
	gone  []string
	done  []string // what was done
}

// drive carries out the operations that data tells, under a policy at first, and returns their names.
func drive(tb testing.TB, policy string, data []byte) []string {
	d := &driver{TB: tb, data: data, first: policy, model: model{docs: map[string]entry{}, marks: map[string]admission.Mark{}}}
	if d.pick(4) == 0 {
		d.path = filepath.Join(tb.TempDir(), "index")
	}
	d.index = newIndex(tb, d.path)
	d.setPolicy(policy)
	for len(d.data) > 0 {
		d.step()
		if tb.Failed() {
			break
		}
	}
	d.compare()
	if err := d.index.Close(); err != nil {
		tb.Error(err)
	}
	if tb.Failed() {
		tb.Logf("after %s", strings.Join(d.done, "; "))
	}
	return d.done
}

// pick reads a number below n, 0 once the data is at its end.
func (d *driver) pick(n int) int {
	if len(d.data) == 0 {
		return 0
	}
	b := d.data[0]
	d.data = d.data[1:]
	return int(b) % n
}

// check ends the test if err is not nil.
func (d *driver) check(err error) {
	if err != nil {
		d.Fatalf("after %s: %v", strings.Join(d.done, "; "), err)
	}
}

func (d *driver) step() {
	type step struct {
		name string
		do   func()
	}
	batch := step{"batch", d.batch}
	steps := []step{
		batch, batch, batch,
		{"one", d.one},
		{"again", func() { d.write(d.last, d.gone) }},
		{"policy", func() {
			all := slices.Sorted(maps.Keys(policies))
			d.setPolicy([]string{d.first, d.first, all[d.pick(len(all))], ""}[d.pick(4)])
		}},
		{"mark", d.mark},
		{"unmark", func() {
			name := fmt.Sprint("m", d.pick(4))
			delete(d.marks, name)
			d.check(typed(d.index).Unmark(context.Background(), name))
		}},
		{"merge", d.merge},
		{"reopen", d.reopen},
		{"forged", d.forged},
		{"compare", d.compare},
		{"page", d.searchPages},
		{"whole", d.searchWhole},
		{"similar", d.searchSimilar},
		{"groups", d.listGroups},
	}
	s := steps[d.pick(len(steps))]
	d.done = append(d.done, s.name)
	s.do()
}

// random is a source of what operations write, and now the time at which they do.
func (d *driver) random() (rnd *rand.Rand, now time.Time) {
	d.hour++
	return rand.New(rand.NewPCG(uint64(d.pick(256)), uint64(d.pick(256)))), time.Date(2026, 1, 1, d.hour, 0, 0, 0, time.UTC)
}

func (d *driver) page(id string) page {
	rnd, now := d.random()
	return randomPage(rnd, id, text(rnd, rnd.IntN(8), false), now)
}

// batch writes and deletes some documents.
func (d *driver) batch() {
	d.last, d.gone = randomBatch(d.random())
	d.write(d.last, d.gone)
}

// write sends a batch through bleve or through SubmitBatch, perhaps dry before.
func (d *driver) write(pages []page, deletes []string) (got []admission.Verdict) {
	b := d.index.NewBatch()
	for _, p := range pages {
		d.check(b.Index(p.id, p.data()))
	}
	for _, id := range deletes {
		b.Delete(id)
	}
	way := d.pick(3)
	var dry []admission.Verdict
	var err error
	if way == 0 {
		err = d.index.Batch(b)
		if refused := new(admission.Rejected); errors.As(err, &refused) {
			got, err = refused.Verdicts, nil
		}
		d.check(err)
	} else {
		if way == 1 {
			dry, err = plugin.DryRun(context.Background(), d.index, b)
			d.check(err)
			d.same(d, d.index) // nothing is written, and nothing is counted
		}
		got, err = plugin.SubmitBatch(context.Background(), d.index, b)
		d.check(err)
	}
	want := d.submit(pages, deletes)
	if way > 0 || !d.none {
		d.count(want)
	}
	if way == 0 { // which tells of the rejected alone
		want = slices.DeleteFunc(want, func(e expected) bool { return e.Action != admission.Reject })
	}
	if !slices.EqualFunc(want, got, expected.is) || way == 1 && !slices.EqualFunc(want, dry, expected.is) {
		d.Errorf("got %+v, dry %+v, want %v", got, dry, want)
	}
	d.same(d, d.index)
	return got
}

// one writes or deletes a single document by bleve's own methods.
func (d *driver) one() {
	id := fmt.Sprint("d", d.pick(40))
	if d.pick(3) == 0 {
		d.check(d.index.Delete(id))
		d.submit(nil, []string{id})
		return
	}
	p := d.page(id)
	err := d.index.Index(id, p.data())
	refused := new(admission.Rejected)
	if !errors.As(err, &refused) {
		d.check(err)
	}
	want := d.submit([]page{p}, nil)
	if !d.none {
		d.count(want)
	}
	if rejected := want[0].Action == admission.Reject; rejected != (err != nil) || rejected && !want[0].is(refused.Verdicts[0]) {
		d.Errorf("%s: got %v, want %v", id, err, want)
	}
}

func (d *driver) setPolicy(name string) {
	var p *admission.Policy
	if d.policy, d.none = policies[name], name == ""; !d.none {
		p = &d.policy
	}
	d.check(plugin.SetPolicy(context.Background(), d.index, p))
}

// merge leaves one segment. bleve waits forever for that in memory.
func (d *driver) merge() {
	if d.path == "" {
		return
	}
	inner, err := d.index.Advanced()
	d.check(err)
	d.check(inner.(*indextype.Index).ForceMerge(context.Background(), nil))
}

// reopen closes the index, if it is on disk, and opens it again: the policy stays in force.
func (d *driver) reopen() {
	if d.path == "" {
		return
	}
	d.check(d.index.Close())
	var err error
	d.index, err = plugin.Open(d.path)
	d.check(err)
	d.Cleanup(func() { d.index.Close() })
	d.counts = nil
	d.compare()
}

// forged sends a batch with a field of a reserved name, of which nothing is written.
func (d *driver) forged() {
	b := d.index.NewBatch()
	names := []string{signature.Field("neardup").Sketch(), admission.TagField, signature.Field("x").Time(), admission.GroupField}
	name := names[d.pick(4)]
	d.check(b.Index("d0", d.page("d0").data()))
	d.check(b.Index("d1", map[string]any{"body": "x", name: "forged"}))
	b.Delete("d2")
	if err := d.index.Batch(b); err == nil || !strings.Contains(err.Error(), "reserved") {
		d.Errorf("field %q: got error %v", name, err)
	}
	d.same(d, d.index)
}
