package cluster

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// follow reads the log of that identity until the partition is closed.
func (p *partition) follow(log *journal, identity, subject string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.done != nil {
		return
	}
	p.anchor.Log = cmp.Or(p.anchor.Log, identity)
	var ctx context.Context
	ctx, p.cancel = context.WithCancel(context.Background())
	p.done = make(chan struct{})
	go func() {
		defer close(p.done)
		retry(ctx, func() error {
			p.pending, p.begun = nil, false // what was pending is read again
			return log.Read(ctx, p.anchor.Log, []string{subject, SubjectMarks, SubjectRevoked}, p.anchor.before(), func(r Record) error {
				if !p.begun {
					return p.begin(subject, r)
				}
				return p.take(subject, r)
			})
		}, p.fail)
	}()
}

// pulses are the ticks that a node appends by itself all the time. A copy that has read a
// tick has read everything that was in the log when the node began to append the tick. So a
// node can tell a copy that has nothing to read from a copy that was just opened, or that
// the log does not reach.
type pulses struct {
	mu   sync.Mutex
	last []pulse // those that are young enough
}

type pulse struct {
	seq   uint64
	began time.Time
}

// run appends pulses until ctx is done.
func (p *pulses) run(ctx context.Context, c *claims, stale time.Duration) {
	for {
		began := time.Now()
		if seq, err := c.mark(ctx, SubjectMarks, 0); err == nil {
			p.mu.Lock()
			p.last = append(slices.DeleteFunc(p.last, func(q pulse) bool { return began.Sub(q.began) > stale }), pulse{seq, began})
			p.mu.Unlock()
		}
		select {
		case <-time.After(min(stale/8, time.Second)):
		case <-ctx.Done():
			return
		}
	}
}

// fresh reports whether a copy that has read up to the record at has all that was in the log at
// some moment since stale ago.
func (p *pulses) fresh(at uint64, stale time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.last, func(q pulse) bool { return q.seq <= at && time.Since(q.began) < stale })
}

// retry calls f until ctx is done, and calls tell with its errors.
func retry(ctx context.Context, f func() error, tell func(error)) {
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		err := f()
		if ctx.Err() != nil {
			return
		}
		tell(err)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
	}
}

func (p *partition) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failure = err
	p.verified = p.verified && !errors.Is(err, ErrLog)
	p.wake()
}
