package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/couchbase/cbgt"
)

// A log can be lost, and another log, or an older copy of it, can take its place. Then numbers
// mean other records, and a reader that goes on from a number misses records. So
//
//   - a log has an identity, which the plan keeps from Create on. While the log has another
//     identity, or there is no log, a node neither reads nor appends, and none of its copies
//     is ready.
//   - a copy keeps its position, the identity of the log, and the sum of the record at the
//     position: see anchor.
//   - if a new record gets a number that is not greater than all earlier ones, records are
//     gone. The node then does nothing more until it is started again.

// ErrLog: the log is not the one that the index belongs to, or has lost records.
var ErrLog = errors.New("the log is not the one that the index was written from")

// journal is the Log of a node. It does nothing unless that is the log of the plan.
type journal struct {
	log Log
	cfg cbgt.Cfg
	of  string // the name of the index

	mu      sync.Mutex
	known   string // the identity of the log, "" if the log must be asked for it
	bad     error  // why the log must not be used, as of the last look
	lost    error  // says that records are gone, for ever
	last    uint64 // the greatest number that was seen
	cas     uint64 // of the index definitions that planned and want are from
	planned bool
	want    string // the identity in the plan
}

// plan returns whether there is a plan, and the identity of its log.
func (j *journal) plan() (planned bool, want string, err error) {
	_, cas, err := j.cfg.Get(cbgt.INDEX_DEFS_KEY, 0)
	if err != nil {
		return false, "", err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if cas != j.cas {
		defs, cas, err := cbgt.CfgGetIndexDefs(j.cfg)
		if err != nil {
			return false, "", err
		}
		j.cas, j.planned, j.want = cas, false, ""
		if defs != nil && defs.IndexDefs[j.of] != nil {
			j.planned, j.want = true, defs.IndexDefs[j.of].SourceUUID
		}
	}
	return j.planned, j.want, nil
}

// verify returns the identity of the log, and an error if it is not the log of the plan. It asks the log who it is
// if that is not known, or if ask is set. Where there is no plan yet, it makes the log.
func (j *journal) verify(ctx context.Context, ask bool) (identity string, err error) {
	planned, want, err := j.plan()
	if err != nil {
		return "", err
	}
	j.mu.Lock()
	known, lost := j.known, j.lost
	j.mu.Unlock()
	if !ask && lost == nil && known != "" && (!planned || known == want) {
		return known, nil
	}
	identity, err = j.log.Open(ctx, !planned)
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case errors.Is(err, ErrNoLog):
		j.known, j.bad = "", fmt.Errorf("cluster: index %q: %w: wanted %q, got none: %w", j.of, ErrLog, want, err)
	case err != nil:
		return "", err // which says nothing about the identity
	case planned && identity != want:
		j.known, j.bad = "", fmt.Errorf("cluster: index %q: %w: wanted %q, got %q", j.of, ErrLog, want, identity)
	default:
		j.known, j.bad = identity, nil
	}
	return identity, errors.Join(j.bad, j.lost)
}

// failed returns why the log is not to be used, as far as is known.
func (j *journal) failed() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return errors.Join(j.bad, j.lost)
}

// Append appends a record to the log of the plan.
func (j *journal) Append(ctx context.Context, subject string, data []byte) (seq uint64, err error) {
	if _, err := j.verify(ctx, false); err != nil {
		return 0, err
	}
	j.mu.Lock()
	before := j.last
	j.mu.Unlock()
	if seq, err = j.log.Append(ctx, subject, data); err != nil {
		return 0, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if seq <= before {
		j.lost = fmt.Errorf("cluster: index %q: %w: wanted a number above %d for a new record, got %d", j.of, ErrLog, before, seq)
		return 0, j.lost
	}
	j.last = max(j.last, seq)
	return seq, nil
}

// Read reads the log of the plan. If of is not empty, it must be the identity of that log.
func (j *journal) Read(ctx context.Context, of string, subjects []string, after uint64, deliver func(Record) error) error {
	identity, err := j.verify(ctx, true)
	if err != nil {
		return err
	}
	if of != "" && of != identity {
		return fmt.Errorf("cluster: %w: wanted %q, got %q", ErrLog, of, identity)
	}
	return j.log.Read(ctx, subjects, after, func(r Record) error {
		j.mu.Lock()
		j.last = max(j.last, r.Seq)
		j.mu.Unlock()
		return deliver(r)
	})
}
