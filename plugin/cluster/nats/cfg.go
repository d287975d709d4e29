package nats

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/couchbase/cbgt"
	"github.com/nats-io/nats.go/jetstream"
)

// Cfg is a cbgt.Cfg in a bucket of keys and values; revisions are what cbgt calls CAS. It
// is read from memory, which a watch keeps up to date: a get might be answered by a
// server that is not up to date, and cbgt does not look again for what it missed.
type Cfg struct {
	kv   jetstream.KeyValue
	stop context.CancelFunc

	mu          sync.Mutex
	entries     map[string]entry
	subscribers map[string][]chan<- cbgt.CfgEvent
}

type entry struct {
	value    []byte
	revision uint64
	deleted  bool
}

// NewCfg returns the plan in a bucket: letters, digits, _ and -. It makes the bucket, of
// so many replicas, if there is none, and tries until ctx is done.
func NewCfg(ctx context.Context, js jetstream.JetStream, bucket string, replicas int) (*Cfg, error) {
	c := &Cfg{entries: map[string]entry{}, subscribers: map[string][]chan<- cbgt.CfgEvent{}}
	watching, stop := context.WithCancel(context.Background())
	c.stop = stop
	err := retry(ctx, func(ctx context.Context) (err error) {
		c.kv, err = js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: bucket, Replicas: replicas, History: 1})
		return err
	})
	var watcher jetstream.KeyWatcher
	if err == nil {
		err = retry(ctx, func(context.Context) (err error) {
			watcher, err = c.kv.WatchAll(watching)
			return err
		})
	}
	if err != nil {
		stop()
		return nil, err
	}
	context.AfterFunc(watching, func() { watcher.Stop() }) // which closes Updates
	known := make(chan struct{})
	go func() {
		for e := range watcher.Updates() {
			if e == nil { // that was all there was
				close(known)
				continue
			}
			c.keep(e.Key(), entry{e.Value(), e.Revision(), e.Operation() != jetstream.KeyValuePut})
		}
	}()
	select {
	case <-known:
		return c, nil
	case <-ctx.Done():
		stop()
		return nil, ctx.Err()
	}
}

// Close ends the watch.
func (c *Cfg) Close() { c.stop() }

// keep keeps what is newer than what is known, and tells subscribers.
func (c *Cfg) keep(key string, e entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.revision <= c.entries[key].revision {
		return
	}
	c.entries[key] = e
	c.tell(key)
}

// tell is called with the lock held. As cbgt's own does, it waits for nobody.
func (c *Cfg) tell(key string) {
	event := cbgt.CfgEvent{Time: time.Now(), Key: key}
	if e := c.entries[key]; !e.deleted {
		event.CAS = e.revision
	}
	for _, s := range c.subscribers[key] {
		go func() { s <- event }()
	}
}

// Get implements cbgt.Cfg.
func (c *Cfg) Get(key string, cas uint64) (value []byte, revision uint64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	switch {
	case !ok || e.deleted:
		return nil, 0, nil
	case cas != 0 && cas != e.revision:
		return nil, 0, &cbgt.CfgCASError{}
	}
	return append([]byte(nil), e.value...), e.revision, nil
}

const timeout = 10 * time.Second

// Set implements cbgt.Cfg.
func (c *Cfg) Set(key string, value []byte, cas uint64) (revision uint64, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	switch cas {
	case 0:
		revision, err = c.kv.Create(ctx, key, value)
	case cbgt.CFG_CAS_FORCE:
		revision, err = c.kv.Put(ctx, key, value)
	default:
		revision, err = c.kv.Update(ctx, key, value, cas)
	}
	if err = mismatch(err); err != nil {
		if e, err := c.kv.Get(ctx, key); err == nil { // to try again at once would be to try with the same
			c.keep(key, entry{e.Value(), e.Revision(), false})
		}
		return 0, err
	}
	c.keep(key, entry{append([]byte(nil), value...), revision, false})
	return revision, nil
}

// Del implements cbgt.Cfg.
func (c *Cfg) Del(key string, cas uint64) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	var options []jetstream.KVDeleteOpt
	if cas != 0 {
		options = append(options, jetstream.LastRevision(cas))
	}
	return mismatch(c.kv.Delete(ctx, key, options...))
}

func mismatch(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyRevisionMismatch):
		return &cbgt.CfgCASError{}
	}
	return fmt.Errorf("nats: plan: %w", err)
}

// Subscribe implements cbgt.Cfg.
func (c *Cfg) Subscribe(key string, ch chan cbgt.CfgEvent) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subscribers[key] = append(c.subscribers[key], ch)
	return nil
}

// Refresh implements cbgt.Cfg.
func (c *Cfg) Refresh() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key := range c.subscribers {
		c.tell(key)
	}
	return nil
}
