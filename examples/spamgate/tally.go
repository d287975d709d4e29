package main

import (
	"context"
	"fmt"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// tally replays a mailbox, and counts what a policy does, as player does, but in batches: on disk, each
// batch costs a write to the disk. A batch is judged in the order of its ids, so ids are numbers
// here, in the order of the mailbox.
type tally struct {
	gate     *gate
	operator bool
	most     int // documents of a batch

	batch   *bleve.Batch
	pending map[string]document // of the batch, by their keys
	keys    map[string]string   // in the index, by gate's own keys
	counts  map[string]int      // by label, and by label and action
	waiting []document          // spam that got in and is not marked yet
	marked  int
}

func newTally(g *gate, operator bool) *tally {
	t := &tally{gate: g, operator: operator, most: 500, batch: g.index.NewBatch(), pending: map[string]document{}, keys: map[string]string{}, counts: map[string]int{}}
	if g.policy.Near == admission.Replace {
		t.most = 1 // what is replaced within its batch counts as rejected
	}
	return t
}

func (t *tally) play(ctx context.Context, mails []document) error {
	for i, d := range mails {
		if t.operator && i > 0 && d.Date.Format(time.DateOnly) != mails[i-1].Date.Format(time.DateOnly) {
			if err := t.lookThrough(ctx); err != nil {
				return err
			}
		}
		if err := t.add(ctx, i, d); err != nil {
			return fmt.Errorf("document %q: %w", d.ID, err)
		}
	}
	return t.flush(ctx)
}

// add adds the i-th mail. One whose id was there before has its place, and is alone in its batch.
func (t *tally) add(ctx context.Context, i int, d document) error {
	own := key(d.Tenant, d.ID)
	as, again := t.keys[own]
	if !again {
		as = key(d.Tenant, fmt.Sprintf("%012d", i))
		t.keys[own] = as
	} else if err := t.flush(ctx); err != nil {
		return err
	}
	t.pending[as] = d
	if err := t.batch.Index(as, d.fields()); err != nil {
		return err
	}
	if again || len(t.pending) >= t.most {
		return t.flush(ctx)
	}
	return nil
}

func (t *tally) flush(ctx context.Context) error {
	if len(t.pending) == 0 {
		return nil
	}
	verdicts, err := plugin.SubmitBatch(ctx, t.gate.index, t.batch)
	if err != nil {
		return err
	}
	for _, v := range verdicts {
		d := t.pending[v.ID]
		t.counts[d.Label]++
		t.counts[d.Label+string(v.Action)]++
		if d.Label == "spam" && v.Action != admission.Reject {
			t.waiting = append(t.waiting, d)
		}
	}
	t.batch.Reset()
	clear(t.pending)
	return nil
}

// lookThrough is the operator's round: see player.
func (t *tally) lookThrough(ctx context.Context) error {
	if err := t.flush(ctx); err != nil {
		return err
	}
	marks, err := t.gate.marksOf(t.waiting)
	if err != nil {
		return err
	}
	if t.waiting = t.waiting[:0]; len(marks) == 0 {
		return nil
	}
	t.marked += len(marks)
	return t.gate.inner.SetMark(ctx, marks...)
}
