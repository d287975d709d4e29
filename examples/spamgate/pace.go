package main

import (
	"context"
	"sync"
	"time"
)

// pace lets each client have so many documents a second. Nothing is lost: a client
// that is faster waits, and its lines stay in the connection.
type pace struct {
	each time.Duration // 0 for no limit

	mu   sync.Mutex
	next map[string]time.Time // when a client may send again
}

func newPace(rate int) *pace {
	p := &pace{next: map[string]time.Time{}}
	if rate > 0 {
		p.each = time.Second / time.Duration(rate)
	}
	return p
}

// reserve returns how long the client has to wait for its next document.
func (p *pace) reserve(client string, now time.Time) time.Duration {
	if p.each == 0 {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.next) >= 10000 { // forget those who need not wait
		for c, t := range p.next {
			if t.Before(now) {
				delete(p.next, c)
			}
		}
	}
	at := p.next[client]
	if at.Before(now) {
		at = now
	}
	p.next[client] = at.Add(p.each)
	return at.Sub(now)
}

func (p *pace) wait(ctx context.Context, client string) error {
	d := p.reserve(client, time.Now())
	if d == 0 {
		return nil
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
