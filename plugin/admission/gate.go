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

// Batches that are written at the same time must not each take its copy for the
// first. So a gate knows, of every batch that was judged and is not in the index yet,
// which ids it touches and what it adds: a flight. A batch that meets one of these
// waits until that flight has ended, and is then judged anew: if the other batch
// fails, this one is the first. Whoever waits has announced nothing yet, so nobody
// waits for it, and there is no deadlock. Judging itself is one at a time; it takes
// microseconds a document, where writing takes hundreds.

// Gate judges what is written to one index. Its methods are safe for concurrent use.
type Gate struct {
	open   func() (index.IndexReader, error)
	policy atomic.Pointer[Policy]
	now    func() time.Time

	mu      sync.Mutex
	flights []*flight
	marks   marks
	counts  [len(counted)]atomic.Uint64
}

// NewGate returns a Gate that accepts everything. open opens the newest snapshot of
// its index, which package column must know.
func NewGate(open func() (index.IndexReader, error)) *Gate { return &Gate{open: open, now: time.Now} }

// SetPolicy puts p in the place of the policy before, for batches judged from now on;
// nil accepts everything. It returns an error if p is not valid. p must not be
// changed afterwards.
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
	Time      time.Time
	Document  index.Document

	// Repetition is what it repeats, if the policy asks for that.
	Repetition *repetition.Counts
}

// flight is a batch that was judged and is being written.
type flight struct {
	done    chan struct{}
	touched map[string]bool
	written *written // as it was judged
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
// ids that are deleted. If dry is set, nothing is announced to other batches, nothing
// is counted, and batches that are being written are passed over.
func (g *Gate) Judge(ctx context.Context, p *Policy, docs []*Document, deletes []string, dry bool) (*Admission, error) {
	if ctx == nil || p == nil || slices.Contains(docs, nil) {
		return nil, errors.New("admission: wanted a context, a policy and documents, got nil")
	}
	if len(docs)+len(deletes) == 0 { // marks, for instance
		return &Admission{gate: g}, nil
	}
	defer trace.StartRegion(ctx, "admission.Judge").End()
	g.mu.Lock()
	defer g.mu.Unlock()
	for {
		j, err := g.judge(ctx, p, docs, deletes, dry)
		if err != nil {
			return nil, err
		}
		if j.wait != nil {
			g.mu.Unlock()
			select {
			case <-j.wait.done:
			case <-ctx.Done():
			}
			g.mu.Lock()
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			continue
		}
		a := &Admission{Verdicts: j.verdicts, Deletes: j.replaced, gate: g}
		if !dry {
			a.flight = j.flight(deletes)
			g.flights = append(g.flights, a.flight)
			g.count(a.Verdicts)
		}
		return a, nil
	}
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
