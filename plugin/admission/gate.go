package admission

import (
	"context"
	"errors"
	"runtime/trace"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
)

// What is written at the same time must end up as if one batch had come after the
// other. So a gate knows, of every batch that was judged and is not in the index yet,
// what it writes and what its verdicts rest on: a flight. A batch that would write what
// a flight writes or has read, or read what a flight writes, waits until that flight has
// ended, and is then judged anew: if the other batch fails, this one is the first.
// Whoever waits has announced nothing yet, so nobody waits for it, and there is no
// deadlock. Judging itself is one at a time; it takes microseconds a document, where
// writing takes hundreds.
//
// Marks and the policy are what all verdicts rest on. Who writes these is alone: see
// Gate.Enter.

// patience is how often a batch lets others pass while it waits for flights. A batch of
// many ids would wait for ever where many writers send the same ids one by one.
const patience = 8

// Gate judges what is written to one index. Its methods are safe for concurrent use.
type Gate struct {
	open   func() (index.IndexReader, error)
	policy atomic.Pointer[Policy]
	now    func() time.Time

	rules sync.RWMutex // held by who writes, and alone by who writes marks or the policy
	door  sync.Mutex   // held by who is judged, or has waited too long for that

	mu      sync.Mutex
	flights []*flight
	marks   marks
	counts  [len(counted)]atomic.Uint64
}

// NewGate returns a Gate that accepts everything. open opens the newest snapshot of
// its index, which package column must know.
func NewGate(open func() (index.IndexReader, error)) *Gate { return &Gate{open: open, now: time.Now} }

// Enter must be called before anything is written to the index, or judged by the policy,
// and what it returns when that has ended. Who writes marks or the policy says so by
// rules, waits until everybody else has left, and is alone: a document that was judged
// before comes into the index before.
func (g *Gate) Enter(rules bool) (leave func()) {
	if rules {
		g.rules.Lock()
		return g.rules.Unlock
	}
	g.rules.RLock()
	return g.rules.RUnlock
}

// SetPolicy puts p in the place of the policy before, for batches judged from now on;
// nil accepts everything. It returns an error if p is not valid. p must not be
// changed afterwards. It keeps nothing, and is to be called by who is alone: see Enter.
func (g *Gate) SetPolicy(p *Policy) error {
	if p != nil {
		if err := p.Validate(); err != nil {
			return err
		}
	}
	g.policy.Store(p)
	return nil
}

// Policy is the policy in force, nil if there is none.
func (g *Gate) Policy() *Policy { return g.policy.Load() }

// Document is what a Gate must know of a document that is about to be written.
type Document struct {
	ID        string
	Signature *signature.Signature // nil if it has no text in the fingerprinted field
	Scope     uint64               // column.ScopeOf its terms
	Time      time.Time            // when it was sent; Judge puts the time of judging for zero
	Document  index.Document

	// Repetition is what it repeats, if the policy asks for that.
	Repetition *repetition.Counts
}

// flight is a batch that was judged and is being written.
type flight struct {
	done    chan struct{}
	touched map[string]bool // ids that it writes or deletes
	read    map[string]bool // ids of documents in the index that its verdicts rest on
	written *written        // as it was judged
}

// Admission is what becomes of a batch. Close must be called when it was written, or
// writing it has failed.
type Admission struct {
	// Verdicts are in the order of the documents.
	Verdicts []Verdict

	// Deletes are the ids of documents in the index that others replace.
	Deletes []string

	gate   *Gate
	flight *flight
}

// Judge judges a batch by a policy: documents, in the order in which they come, and
// ids that are deleted. It waits until no other batch is being written that has to do
// with this one. If dry is set, nothing is announced to other batches, nothing is
// counted, and batches that are being written are passed over.
func (g *Gate) Judge(ctx context.Context, p *Policy, docs []*Document, deletes []string, dry bool) (*Admission, error) {
	if ctx == nil || p == nil || slices.Contains(docs, nil) {
		return nil, errors.New("admission: wanted a context, a policy and documents, got nil")
	}
	if len(docs)+len(deletes) == 0 { // marks, for instance
		return &Admission{gate: g}, nil
	}
	if p.bare && len(docs) > 0 {
		return nil, errBare
	}
	defer trace.StartRegion(ctx, "admission.Judge").End()
	var untimed []*Document
	for _, d := range docs {
		if d.Time.IsZero() {
			untimed = append(untimed, d)
		}
	}
	g.door.Lock()
	defer g.door.Unlock()
	for tries := 0; ; tries++ {
		// Not before the wait: what comes later is newer.
		now := g.now()
		for _, d := range untimed {
			d.Time = now
		}
		a, wait, err := g.attempt(ctx, p, docs, deletes, dry)
		if err != nil || wait == nil {
			return a, err
		}
		if err := g.await(ctx, wait, tries >= patience); err != nil {
			return nil, err
		}
	}
}

// attempt judges a batch and announces it, or returns the flight to wait for.
func (g *Gate) attempt(ctx context.Context, p *Policy, docs []*Document, deletes []string, dry bool) (*Admission, *flight, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !dry {
		for _, id := range deletes {
			if f := g.using(id); f != nil {
				return nil, f, nil
			}
		}
		for _, d := range docs {
			if f := g.using(d.ID); f != nil {
				return nil, f, nil
			}
		}
	}
	j, err := g.judge(ctx, p, docs, deletes, dry)
	if err != nil || j.wait != nil {
		return nil, j.waiting(), err
	}
	a := &Admission{Verdicts: j.verdicts, Deletes: j.replaced, gate: g}
	if !dry {
		a.flight = j.flight(deletes)
		g.flights = append(g.flights, a.flight)
		g.count(a.Verdicts)
	}
	return a, nil, nil
}

// await waits for the end of a flight. Others are judged meanwhile, unless shut is set:
// then no new flight begins, and this batch gets its turn when those that are there have
// ended.
func (g *Gate) await(ctx context.Context, f *flight, shut bool) error {
	if !shut {
		g.door.Unlock()
		defer g.door.Lock()
	}
	select {
	case <-f.done:
	case <-ctx.Done():
	}
	return ctx.Err()
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

// Marks returns the marks, in the order of their names.
func (g *Gate) Marks() ([]Mark, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.loadMarks(); err != nil {
		return nil, err
	}
	var all []Mark
	for _, m := range g.marks.sorted() {
		all = append(all, *m)
	}
	return all, nil
}

// ForgetMarks makes the Gate read the marks again. It must be called when internal
// values of the index whose keys begin with MarkPrefix were written.
func (g *Gate) ForgetMarks() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.marks.read = false
}

// loadMarks reads the marks if that has not been done.
func (g *Gate) loadMarks() error {
	if g.marks.read {
		return nil
	}
	reader, err := g.open()
	if err != nil {
		return err
	}
	defer reader.Close()
	snapshot, ok := reader.(interface{ Internal() map[string][]byte })
	if !ok {
		return g.marks.load(nil)
	}
	return g.marks.load(snapshot.Internal())
}

// counted are the figures of StatsMap.
var counted = [...]string{"judged", "tagged", "rejected", "replacing", "by_near", "by_flood", "by_known", "by_repetition", "shadowed"}

func (g *Gate) count(verdicts []Verdict) {
	add := func(name string, n int) {
		g.counts[slices.Index(counted[:], name)].Add(uint64(n))
	}
	add("judged", len(verdicts))
	for _, v := range verdicts {
		switch v.Action {
		case Tag:
			add("tagged", 1)
		case Reject:
			add("rejected", 1)
		case Replace:
			add("replacing", 1)
		default:
			continue
		}
		add("by_"+v.Policy, 1)
		if v.Would != "" {
			add("shadowed", 1)
		}
	}
}

// Stats returns, since the index was opened, how many documents were judged, were
// tagged, were rejected, and replaced others; how many of these by which part of a
// policy; and of how many more a policy in shadow made a tag.
func (g *Gate) Stats() map[string]uint64 {
	m := make(map[string]uint64, len(counted))
	for i, name := range counted {
		m[name] = g.counts[i].Load()
	}
	return m
}
