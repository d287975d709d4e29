package admission_test

import (
	"context"
	"errors"
	"fmt"
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

// judges are the policies that operations choose from; the first is none.
var judges = []*admission.Policy{
	nil,
	{Near: admission.Tag},
	{Near: admission.Reject, Scope: "tenant", Known: admission.Tag},
	{Near: admission.Replace, Time: "sent", Scope: "tenant"},
	{Near: admission.Replace, Prefer: []admission.Preference{{Keep: admission.Longest}}, Known: admission.Reject},
	{Near: admission.Replace, Time: "sent", Shadow: true, Known: admission.Reject, Scope: "tenant"},
	{Time: "sent", Floods: []admission.Flood{{Copies: 2, Window: 4 * time.Hour}}, Known: admission.Reject},
	{Time: "sent", Floods: []admission.Flood{{Copies: 1, Window: 9 * time.Hour, Distinct: "from"}, {Copies: 2, Window: 4 * time.Hour, Same: "from", Action: admission.Tag}}},
	{Group: true},
	{Group: true, Near: admission.Replace, Time: "sent", Scope: "tenant", Known: admission.Reject},
	{Group: true, Near: admission.Tag, Shadow: true, Time: "sent", Floods: []admission.Flood{{Copies: 3, Window: 4 * time.Hour}}},
	{Known: admission.Reject, KnownRule: admission.KnownRule{Lanes: 60, Contains: -1, Contained: .8, MinShingles: 20}},
	{
		Near: admission.Replace, Time: "sent",
		Floods: []admission.Flood{{Copies: 2, Window: 9 * time.Hour, Action: admission.Tag}},
	},
}

// driver carries out operations on an index and on its model.
type driver struct {
	testing.TB
	model
	data  []byte
	index bleve.Index
	none  bool   // no policy is in force
	path  string // empty in memory
	hour  int
	last  []page // of the batch before, with last deletes
	gone  []string
	done  []string // what was done
}

// drive carries out the operations that data tells and returns their names.
func drive(tb testing.TB, data []byte) []string {
	d := &driver{TB: tb, data: data, none: true, model: model{docs: map[string]entry{}, marks: map[string]admission.Mark{}}}
	if d.pick(4) == 0 {
		d.path = filepath.Join(tb.TempDir(), "index")
	}
	d.index = newIndex(tb, d.path)
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
		{"policy", d.setPolicy},
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

// text is empty, without a word, too short for shingles, or of a family.
func (d *driver) text() string {
	switch k := d.pick(16); k {
	case 0:
		return ""
	case 1:
		return " ... "
	case 2:
		return fmt.Sprint("short ", d.pick(2))
	case 3:
		return "The SAME ten words in other letters do not count; Ünïcode 東京 too."
	case 4:
		return "the same ten words in other letters do not count ünïcode 東京 too"
	default:
		return words(rand.New(rand.NewPCG(9, uint64(d.pick(8)))), k%4)
	}
}

func (d *driver) page(id string) page {
	p := page{id: id, body: d.text()}
	p.tenant = []string{"", "a", "b"}[d.pick(3)]
	p.sent = time.Date(2026, 1, 1, d.hour-d.pick(6), 0, 0, 0, time.UTC)
	return p
}

// batch writes and deletes some documents.
func (d *driver) batch() {
	d.hour++
	ids := rand.New(rand.NewPCG(3, uint64(d.pick(256)))).Perm(24)
	d.last, d.gone = nil, nil
	for range 1 + d.pick(5) {
		d.last = append(d.last, d.page(fmt.Sprint("d", ids[0])))
		ids = ids[1:]
	}
	for range d.pick(3) {
		d.gone = append(d.gone, fmt.Sprint("d", ids[0]))
		ids = ids[1:]
	}
	d.write(d.last, d.gone)
}

// write sends a batch through bleve or through SubmitBatch, perhaps dry before.
func (d *driver) write(pages []page, deletes []string) {
	b := d.index.NewBatch()
	for _, p := range pages {
		d.check(b.Index(p.id, p.data()))
	}
	for _, id := range deletes {
		b.Delete(id)
	}
	way := d.pick(3)
	var got []admission.Verdict
	var err error
	if way == 0 {
		err = d.index.Batch(b)
		if refused := new(admission.Rejected); errors.As(err, &refused) {
			got, err = refused.Verdicts, nil
		}
		d.check(err)
	} else {
		if way == 1 {
			_, err := plugin.DryRun(context.Background(), d.index, b)
			d.check(err)
			d.same(d, d.index)
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
	if !slices.EqualFunc(want, got, expected.is) {
		d.Errorf("got %+v, want %v", got, want)
	}
	d.same(d, d.index)
}

// one writes or deletes a single document by bleve's own methods.
func (d *driver) one() {
	id := fmt.Sprint("d", d.pick(24))
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

func (d *driver) setPolicy() {
	p := judges[d.pick(len(judges))]
	if d.policy, d.none = (admission.Policy{}), p == nil; p != nil {
		d.policy = *p
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
