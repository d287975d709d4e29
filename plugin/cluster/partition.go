package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/blevesearch/bleve/v2"
	"github.com/couchbase/cbgt"

	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/cluster/internal/rpc"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// A partition is one copy of one part of the index: a bleve index of type neardup that
// follows the log. Documents wait in memory until a mark comes: only then does somebody want to
// see them. They are written in one batch, together with the number of the last of their
// records. So the disk always has what the log had up to some record, and a copy that starts
// again reads on from there. scorch need not wait for the disk ("unsafe_batch"): what it loses
// is read again.

// IndexType is the type of cbgt's partitions that this package registers.
const IndexType = "neardup"

func init() {
	cbgt.RegisterPIndexImplType(IndexType, &cbgt.PIndexImplType{
		New: func(_, params, path string, _ func()) (cbgt.PIndexImpl, cbgt.Dest, error) {
			return implement(newPartition(params, path))
		},
		Open: func(_, path string, _ func()) (cbgt.PIndexImpl, cbgt.Dest, error) {
			return implement(openPartition(path))
		},
		OpenEx: func(_, path string, _ func(), _ map[string]any) (cbgt.PIndexImpl, cbgt.Dest, error) {
			return implement(openPartition(path))
		},
		Description: "advanced/neardup - bleve with signatures of near-duplicates",
	})
}

func implement(p *partition, err error) (cbgt.PIndexImpl, cbgt.Dest, error) {
	if err != nil {
		return nil, nil, err
	}
	return p, p, nil
}

// partition is both the implementation and the destination of a cbgt.PIndex. It reads the log by
// itself: what feeds would bring goes into a black hole.
type partition struct {
	cbgt.BlackHole
	index bleve.Index
	path  string

	mu       sync.Mutex
	at       uint64 // every record up to this number is in the index, or does not concern it
	verified bool   // the log has the record that anchor names
	failure  error  // why the log is not read, nil if it is
	closed   bool
	moved    chan struct{} // closed, and made anew, when at or any of these changes

	// The goroutine that reads the log has these for itself.
	anchor  anchor            // what of the log is in the index
	begun   bool              // a record has come since reading began
	revoked map[uint64]uint64 // claims, and the first records that revoke them
	pending []record          // not yet in the index
	last    anchor            // what anchor will be when pending is in the index

	cancel context.CancelFunc // ends that goroutine
	done   chan struct{}      // closed when it has ended; nil if it never began
}

// record is a Record of a partition's subject: documents that one claim admitted, with the names of their groups if
// they have any. Claim is 0 if they are written unchecked. Data that is null deletes a document.
type record struct {
	Claim uint64     `json:"claim,omitempty"`
	Docs  []document `json:"docs"`
}

type document struct {
	ID    string          `json:"id"`
	Data  json.RawMessage `json:"data"`
	Group string          `json:"group,omitempty"`
}

// The internal values of a partition's index.
var (
	positionKey = []byte("neardup/cluster/position")
	revokedKey  = []byte("neardup/cluster/revoked")
)

func newPartition(params, path string) (*partition, error) {
	var p cbgt.IndexPrepParams
	m := bleve.NewIndexMapping()
	if err := json.Unmarshal([]byte(params), &p); err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(p.Params), m); err != nil {
		return nil, err
	}
	x, err := bleve.NewUsing(filepath.Join(path, "bleve"), m, indextype.Name, bleve.Config.DefaultKVStore, map[string]any{"unsafe_batch": true})
	if err != nil {
		return nil, err
	}
	return load(x, path)
}

func openPartition(path string) (*partition, error) {
	x, err := plugin.Open(filepath.Join(path, "bleve"))
	if err != nil {
		return nil, err
	}
	return load(x, path)
}

// load reads how far the index has come in the log.
func load(x bleve.Index, path string) (*partition, error) {
	p := &partition{index: x, path: path, moved: make(chan struct{}), revoked: map[uint64]uint64{}}
	x.SetName(cbgt.PIndexNameFromPath(path))
	at, err := x.GetInternal(positionKey)
	if err == nil && at != nil {
		err = json.Unmarshal(at, &p.anchor)
	}
	p.at = p.anchor.Seq
	revoked, err2 := x.GetInternal(revokedKey)
	if err = errors.Join(err, err2); err == nil && revoked != nil {
		err = json.Unmarshal(revoked, &p.revoked)
	}
	if err != nil {
		x.Close()
		return nil, fmt.Errorf("cluster: %s: %w", path, err)
	}
	return p, nil
}

// take takes one record: documents are added to pending, and a mark has them written.
func (p *partition) take(subject string, r Record) error {
	switch r.Subject {
	case subject:
		var docs record
		if err := json.Unmarshal(r.Data, &docs); err != nil {
			return fmt.Errorf("cluster: record %d: %w", r.Seq, err)
		}
		if at := p.revoked[docs.Claim]; at == 0 || r.Seq < at {
			p.pending, p.last = append(p.pending, docs), anchor{p.anchor.Log, r.Seq, rpc.Sum(r.Data)}
		}
		return nil
	case SubjectRevoked:
		var m mark
		if err := json.Unmarshal(r.Data, &m); err != nil {
			return fmt.Errorf("cluster: record %d: %w", r.Seq, err)
		}
		if p.revoked[m.Claim] == 0 {
			p.revoked[m.Claim] = r.Seq
		}
	}
	return p.write(r.Seq)
}

// write writes what is pending. Then everything up to the record seq is in the index. A document
// that bleve does not take must not stop the log: all copies leave it out alike.
func (p *partition) write(seq uint64) error {
	if len(p.pending) > 0 {
		b, groups := p.index.NewBatch(), map[string]string{}
		for _, docs := range p.pending {
			for _, d := range docs.Docs {
				var data any
				id := string(d.ID)
				if delete(groups, id); d.Group != "" {
					groups[id] = d.Group
				}
				if err := json.Unmarshal(d.Data, &data); err != nil || data == nil {
					b.Delete(id)
				} else if err := b.Index(id, data); err != nil {
					b.Delete(id)
				}
			}
		}
		at, err := json.Marshal(p.last)
		if err != nil {
			return err
		}
		b.SetInternal(positionKey, at)
		if len(p.revoked) > 0 {
			all, err := json.Marshal(p.revoked)
			if err != nil {
				return err
			}
			b.SetInternal(revokedKey, all)
		}
		if err := rpc.WriteBatch(p.index, b, groups); err != nil {
			return err
		}
		p.pending, p.anchor = nil, p.last
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at, p.failure = max(p.at, seq), nil // max: after a failure records are read again
	p.wake()
	return nil
}

// wake wakes the callers of wait. The caller of wake has the lock.
func (p *partition) wake() {
	close(p.moved)
	p.moved = make(chan struct{})
}

// state is the record up to which everything is in the index, whether the log is known to be the partition's own,
// and why it is not read.
func (p *partition) state() (at uint64, verified bool, failure error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at, p.verified, p.failure
}

// wait waits until everything up to a record is in the index.
func (p *partition) wait(ctx context.Context, seq uint64) error {
	for {
		p.mu.Lock()
		at, verified, failure, moved, closed := p.at, p.verified, p.failure, p.moved, p.closed
		p.mu.Unlock()
		switch {
		case closed:
			return errNotReady
		case !verified && failure != nil:
			return fmt.Errorf("%w: %w", errNotReady, failure)
		case verified && at >= seq:
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return fmt.Errorf("%w: at %d of %d", errNotReady, at, seq)
		}
	}
}

var (
	errNotReady = errors.New("cluster: the partition has not caught up with the log")
	errUnread   = errors.New("it has read nothing yet")
)

// Close implements cbgt.Dest.
func (p *partition) Close(remove bool) error {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil
	}
	p.closed = true
	p.wake()
	done := p.done
	p.mu.Unlock()
	if done != nil {
		p.cancel()
		<-done
	}
	err := p.index.Close()
	if remove {
		err = errors.Join(err, os.RemoveAll(p.path))
	}
	return err
}
