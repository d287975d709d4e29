// Package gate judges what is written to an index of type neardup, by the policy and the
// marks of package admission.
//
// Batches that are written at the same time must end up as if one had come after the other. So a gate knows, of every
// batch that was judged and is not in the index yet, what it writes and what its verdicts rest on: a flight. A batch
// that would write what a flight writes or has read, or read what a flight writes, waits until that flight has ended,
// and is then judged anew, since the flight can fail. A batch that waits has announced nothing yet, so no batch waits
// for it, and there is no deadlock. Judging is one at a time; it takes microseconds a document, where writing takes
// hundreds. All verdicts rest on the marks and the policy: a write of these is alone.
package gate

import (
	"context"
	"errors"
	"math"
	"runtime/trace"
	"slices"
	"sync"
	"time"

	index "github.com/blevesearch/bleve_index_api"
	"golang.org/x/sync/semaphore"

	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/marks"
)

// patience is how often a batch lets others pass while it waits for flights. A batch of
// many ids would wait for ever where many writers send the same ids one by one.
const patience = 8

// Gate judges what is written to one index. Its methods are safe for concurrent use.
type Gate struct {
	open  func() (index.IndexReader, error)
	marks *marks.Marks
	now   func() time.Time

	inside *semaphore.Weighted // of all writers; one that is alone takes everyone's place
	door   *semaphore.Weighted // of one batch that is judged, or has waited too long for that

	mu      sync.Mutex
	flights flights
}

// New returns a Gate. open opens the newest snapshot of its index,
// which package column must know, and marks are its marks.
func New(open func() (index.IndexReader, error), marks *marks.Marks) *Gate {
	return &Gate{open: open, marks: marks, now: time.Now, inside: semaphore.NewWeighted(everyone), door: semaphore.NewWeighted(1)}
}

// everyone is how many writers can be inside.
const everyone = math.MaxInt64

// SetClock gives the Gate and its marks another clock, for tests.
func (g *Gate) SetClock(now func() time.Time) {
	g.now = now
	g.marks.SetClock(now)
}

// Enter must be called before anything is written to the index or judged, and leave when that has ended. A write of
// marks or of the policy is alone: it waits until all others have left. They come in in the order in which they asked,
// so that neither kind can keep the other out. Enter returns the error of ctx if that is done first; then leave is nil.
func (g *Gate) Enter(ctx context.Context, alone bool) (leave func(), err error) {
	if ctx == nil {
		return nil, errors.New("neardup: wanted a context, got nil")
	}
	places := int64(1)
	if alone {
		places = everyone
	}
	if err := g.inside.Acquire(ctx, places); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { g.inside.Release(places) }), nil
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

// Judge judges a batch by the policy in force: documents, in their order, and ids that are deleted. It waits until no
// other batch that concerns this one is being written, and returns the error of ctx if that is done first. If dry is
// set, it waits for no batch, and announces nothing.
func (g *Gate) Judge(ctx context.Context, p *admission.Policy, docs []*Document, deletes []string, dry bool) (*Admission, error) {
	if len(docs)+len(deletes) == 0 { // marks, for instance
		return &Admission{gate: g}, nil
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
		a, wait, err := g.attempt(ctx, policy{p}, docs, deletes, dry)
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

// attempt judges a batch as if it were alone and announces it, or returns the flight to wait for. A panic of bleve's at
// a damaged file is an error: the door must open again.
func (g *Gate) attempt(ctx context.Context, p policy, docs []*Document, deletes []string, dry bool) (a *Admission, wait *flight, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	defer column.Guard("what the index has", &err)
	j := &judgement{
		policy: p, docs: docs, deletes: deletes, marks: g.marks, now: g.now(),
		read: map[string]bool{}, ids: map[uint64]string{}, values: map[string]*column.Scopes{},
	}
	if !dry {
		j.flights = g.flights
	}
	if f := j.meets(); f != nil {
		return nil, f, nil
	}
	if len(docs) > 0 {
		reader, err := g.open()
		if err != nil {
			return nil, nil, err
		}
		defer reader.Close()
		if err := j.look(ctx, reader); err != nil {
			return nil, nil, err
		}
	}
	if err := j.run(); err != nil || j.wait != nil {
		return nil, j.wait, err
	}
	a = &Admission{Verdicts: j.verdicts, Deletes: j.replaced, gate: g}
	if !dry {
		a.flight = j.flight()
		g.flights = append(g.flights, a.flight)
		g.marks.Use(a.Verdicts, j.now)
	}
	return a, nil, nil
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
