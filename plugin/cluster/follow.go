package cluster

import (
	"context"
	"sync"
	"time"
)

// follow reads the log until the partition is closed. It is ready once it has read
// everything there was when it began.
func (p *partition) follow(c *claims, subject string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.done != nil {
		return
	}
	var ctx context.Context
	ctx, p.cancel = context.WithCancel(context.Background())
	p.done = make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		retry(ctx, func() error {
			p.pending = nil // read again
			return c.log.Read(ctx, []string{subject, SubjectMarks, SubjectRevoked}, p.position(), func(r Record) error { return p.take(subject, r) })
		}, p.fail)
	})
	all.Go(func() {
		retry(ctx, func() error {
			seq, err := c.tick(ctx)
			if err == nil {
				err = p.wait(ctx, seq)
			}
			if err == nil {
				p.mu.Lock()
				p.ready = true
				p.mu.Unlock()
			}
			return err
		}, p.fail)
	})
	go func() {
		all.Wait()
		close(p.done)
	}()
}

// retry calls f until it returns nil or ctx is done, and tells of errors.
func retry(ctx context.Context, f func() error, tell func(error)) {
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		err := f()
		if ctx.Err() != nil {
			return
		}
		tell(err)
		if err == nil {
			return
		}
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
}

func (p *partition) failed() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failure
}
