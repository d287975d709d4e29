// Package gate judges what is written to an index of type neardup, by the policy and the
// marks of package admission.
//
// Batches that are written at the same time must end up as if one had come after the
// other. So a gate knows, of every batch that was judged and is not in the index yet, what
// it writes and what its verdicts rest on: a flight. A batch that would write what a flight
// writes or has read, or read what a flight writes, waits until that flight has ended, and
// is then judged anew: if the other batch fails, this one is the first. A batch that waits
// has announced nothing yet, so no batch waits for it, and there is no deadlock. Copies of one
// text that come at the same time need not wait where each is tagged anyway: see flights.meets. Judging
// itself is one at a time; it takes microseconds a document, where writing takes hundreds.
//
// All verdicts rest on the marks and the policy. A write of these is alone: see Gate.Enter.
package gate

import (
	"context"
	"errors"
	"math"
	"runtime/trace"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	index "github.com/blevesearch/bleve_index_api"
	"golang.org/x/sync/semaphore"

	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/marks"
)

// patience is how often a batch lets others pass while it waits for flights. A batch of
// many ids would wait for ever where many writers send the same ids one by one.
const patience = 8

// Gate judges what is written to one index. Its methods are safe for concurrent use.
type Gate struct {
	open   func() (index.IndexReader, error)
	marks  *marks.Marks
	policy atomic.Pointer[policy]
	now    func() time.Time

	inside *semaphore.Weighted // of all writers; one that is alone takes everyone's place
	door   *semaphore.Weighted // of one batch that is judged, or has waited too long for that

	mu      sync.Mutex
	flights flights
	counts  map[string]uint64 // figures of StatsMap
}

// New returns a Gate that accepts everything. open opens the newest snapshot of its index,
// which package column must know, and marks are its marks.
func New(open func() (index.IndexReader, error), marks *marks.Marks) *Gate {
	return &Gate{open: open, marks: marks, now: time.Now, counts: map[string]uint64{}, inside: semaphore.NewWeighted(everyone), door: semaphore.NewWeighted(1)}
}

// everyone is how many writers can be inside.
const everyone = math.MaxInt64

// SetClock gives the Gate and its marks another clock, for tests.
func (g *Gate) SetClock(now func() time.Time) {
	g.now = now
	g.marks.SetClock(now)
}

// Enter must be called before anything is written to the index or judged, and leave when
// that has ended. A write of marks or of the policy is alone: it waits until all others have
// left, so that a document that was judged before comes into the index before. They come in in the order in which they
// asked, so that neither kind can keep the other out. Enter returns the error of ctx if that is done first; then leave
// is nil.
func (g *Gate) Enter(ctx context.Context, alone bool) (leave func(), err error) {
	places := int64(1)
	if alone {
		places = everyone
	}
	if err := g.inside.Acquire(ctx, places); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { g.inside.Release(places) }), nil
}

// SetPolicy replaces the policy for batches that are judged from now on; nil accepts everything. p must be valid, and
// not be changed afterwards. The caller must be alone: see Enter.
func (g *Gate) SetPolicy(p *admission.Policy) {
	if p == nil {
		g.policy.Store(nil)
		return
	}
	g.policy.Store(inForce(p))
}

// Policy is the policy in force, nil if there is none.
func (g *Gate) Policy() *admission.Policy {
	if p := g.policy.Load(); p != nil {
		return p.Policy
	}
	return nil
}

// Admission is what becomes of a batch. Close must be called when the batch was written, or
// when writing it has failed.
type Admission struct {
	// Verdicts are in the order of the documents.
	Verdicts []admission.Verdict

	// Deletes are the ids of documents in the index that others replace.
	Deletes []string

	gate   *Gate
	flight *flight
}

// Judge judges a batch by the policy in force, or by the zero Policy: documents, in their
// order, and ids that are deleted. It waits until no other batch that concerns this one is
// being written, and returns the error of ctx if that is done first. If dry is set, nothing
// is announced to other batches, nothing is counted, and batches that are being written are
// passed over.
func (g *Gate) Judge(ctx context.Context, docs []*Document, deletes []string, dry bool) (*Admission, error) {
	if ctx == nil || slices.Contains(docs, nil) {
		return nil, errors.New("admission: wanted a context and documents, got nil")
	}
	if len(docs)+len(deletes) == 0 { // marks, for instance
		return &Admission{gate: g}, nil
	}
	p := g.policy.Load()
	if p == nil {
		p = inForce(new(admission.Policy))
	}
	defer trace.StartRegion(ctx, "admission.Judge").End()
	var untimed []*Document
	for _, d := range docs {
		if d.Time.IsZero() {
			untimed = append(untimed, d)
		}
	}
	for tries := 0; ; tries++ {
		if tries <= patience {
			if err := g.door.Acquire(ctx, 1); err != nil {
				return nil, err
			}
		}
		// Not before the wait: what comes later is newer.
		now := g.now()
		for _, d := range untimed {
			d.Time = now
		}
		a, wait, err := g.attempt(ctx, p, docs, deletes, dry)
		// Others are judged while this batch waits, unless it has waited often. Then no new
		// flight begins, and it has its turn when the flights that are there have ended.
		if wait == nil || tries < patience {
			g.door.Release(1)
		}
		if err != nil || wait == nil {
			return a, err
		}
		select {
		case <-wait.done:
		case <-ctx.Done():
			if tries >= patience {
				g.door.Release(1)
			}
			return nil, ctx.Err()
		}
	}
}

// attempt judges a batch and announces it, or returns the flight to wait for.
func (g *Gate) attempt(ctx context.Context, p *policy, docs []*Document, deletes []string, dry bool) (*Admission, *flight, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !dry {
		for _, id := range deletes {
			if f := g.flights.using(id); f != nil {
				return nil, f, nil
			}
		}
		for _, d := range docs {
			if f := g.flights.using(d.ID); f != nil {
				return nil, f, nil
			}
		}
	}
	j, err := g.judge(ctx, p, docs, deletes, dry)
	if err != nil {
		return nil, nil, err
	}
	if j.wait != nil {
		return nil, j.wait, nil
	}
	a := &Admission{Verdicts: j.verdicts, Deletes: j.replaced, gate: g}
	if !dry {
		a.flight = j.flight(deletes)
		g.flights = append(g.flights, a.flight)
		g.count(a.Verdicts)
		g.marks.Use(a.Verdicts, g.now())
	}
	return a, nil, nil
}

// judge judges a batch as if it were alone, or finds the flight to wait for.
func (g *Gate) judge(ctx context.Context, p *policy, docs []*Document, deletes []string, dry bool) (*judgement, error) {
	j, err := newJudgement(p, docs)
	if len(docs) == 0 || err != nil {
		return j, err
	}
	reader, err := g.open()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	j.marks, j.now, j.reader = g.marks, g.now(), reader
	if !dry {
		j.flights = g.flights
	}
	return j, j.run(ctx, deletes)
}

// Close ends what Judge announced.
func (a *Admission) Close() {
	if a.flight == nil {
		return
	}
	a.gate.mu.Lock()
	defer a.gate.mu.Unlock()
	a.gate.flights = slices.DeleteFunc(a.gate.flights, func(f *flight) bool { return f == a.flight })
	close(a.flight.done)
}

// SetMarks keeps some marks and removes others, and puts that in force when all writes that have begun have ended. It
// returns the error of ctx if that is done first.
func (g *Gate) SetMarks(ctx context.Context, some []admission.Mark, removed []string) error {
	if ctx == nil {
		return errors.New("neardup: wanted a context, got nil")
	}
	leave, err := g.Enter(ctx, true)
	if err != nil {
		return err
	}
	defer leave()
	return g.marks.Set(some, removed)
}

// figures are those of Stats.
var figures = []string{
	"judged", "tagged", "rejected", "replacing", "unscoped", "shadowed",
	"by_" + byNear, "by_" + byFlood, "by_" + byKnown, "by_" + byRepetition, "by_" + byHidden, "by_" + byUnscoped,
}

// Stats returns, since the index was opened, how many documents were judged, were tagged,
// were rejected, and replaced others; how many of these by which part of a policy; and how
// many more a policy in shadow turned into a tag.
func (g *Gate) Stats() map[string]uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	m := map[string]uint64{}
	for _, name := range figures {
		m[name] = g.counts[name]
	}
	return m
}

// count counts verdicts.
func (g *Gate) count(verdicts []admission.Verdict) {
	g.counts["judged"] += uint64(len(verdicts))
	done := map[admission.Action]string{admission.Tag: "tagged", admission.Reject: "rejected", admission.Replace: "replacing"}
	for _, v := range verdicts {
		if v.Unscoped != "" {
			g.counts["unscoped"]++
		}
		if name := done[v.Action]; name != "" {
			g.counts[name]++
			g.counts["by_"+v.Policy]++
			if v.Would != "" {
				g.counts["shadowed"]++
			}
		}
	}
}
