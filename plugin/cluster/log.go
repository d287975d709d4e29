package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"time"
)

// Log is the one order of everything that happens to an index: all nodes read the same
// records in the same order. A record that Append has returned without an error stays for
// ever, whichever node dies. Its methods are safe for concurrent use.
type Log interface {
	// Open returns the identity of the log, which no other log has, not even a new one of the
	// same name. If there is no log, Open makes one if create is true, and otherwise returns an
	// error that wraps ErrNoLog.
	Open(ctx context.Context, create bool) (identity string, err error)

	// Append appends a record to a subject, and returns its number, which is greater than the
	// numbers of all earlier records, of any subject. After an error the record might be in the
	// log, or get there later.
	Append(ctx context.Context, subject string, data []byte) (seq uint64, err error)

	// Read calls deliver with the records of some subjects after a number, in order, each
	// once, and then waits for more, until ctx is done or deliver returns an error. Read
	// returns that error. It may also return after an error of its own, or if it doubts that
	// records reach it: then it is called again.
	Read(ctx context.Context, subjects []string, after uint64, deliver func(Record) error) error
}

// ErrNoLog: there is no log, and none was to be made.
var ErrNoLog = errors.New("no such log")

// Record is one of a Log. Data must not be changed.
type Record struct {
	Seq     uint64
	Subject string
	Data    []byte
}

// The subjects of a log. Besides these, each partition has one: docs.0, docs.1, ...
const (
	// SubjectClaims has what is about to be admitted, and SubjectMarks says that a claim
	// is released, or that somebody asks how far readers are. Implementations may drop
	// records of both that are older than ClaimsKept times Options.Expiry: nothing in the
	// index depends on them.
	SubjectClaims = "claims"
	SubjectMarks  = "marks"

	// SubjectRevoked says which claims were revoked, and so which documents do not count.
	// It is kept for as long as documents are.
	SubjectRevoked = "revoked"
)

// ClaimsKept is how many times Options.Expiry a Log must keep claims for, and DefaultExpiry the Expiry of who names none.
const (
	ClaimsKept    = 20
	DefaultExpiry = 30 * time.Second
)

// SubjectDocs is the subject of a partition's documents.
func SubjectDocs(partition string) string { return "docs." + partition }

// MemLog is a Log in the memory of one process, for nodes of one process and for tests.
// The zero MemLog is empty.
type MemLog struct {
	mu       sync.Mutex
	identity string
	records  []Record
	grown    chan struct{} // closed by the next Append
}

// Open implements Log. There always is a MemLog.
func (l *MemLog) Open(ctx context.Context, _ bool) (identity string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.identity == "" {
		l.identity = rand.Text()
	}
	return l.identity, ctx.Err()
}

// Append implements Log.
func (l *MemLog) Append(ctx context.Context, subject string, data []byte) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	seq := uint64(len(l.records) + 1)
	l.records = append(l.records, Record{seq, subject, data})
	if l.grown != nil {
		close(l.grown)
		l.grown = nil
	}
	return seq, nil
}

// Read implements Log.
func (l *MemLog) Read(ctx context.Context, subjects []string, after uint64, deliver func(Record) error) error {
	for {
		l.mu.Lock()
		records := l.records[min(after, uint64(len(l.records))):]
		if l.grown == nil {
			l.grown = make(chan struct{})
		}
		grown := l.grown
		l.mu.Unlock()
		for _, r := range records {
			if !slices.Contains(subjects, r.Subject) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := deliver(r); err != nil {
				return err
			}
		}
		after += uint64(len(records))
		select {
		case <-grown:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
