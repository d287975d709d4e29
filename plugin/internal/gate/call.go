package gate

import (
	"context"
	"maps"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

// callPrefix begins the keys of calls.
const callPrefix = "\x00neardup/call/"

var (
	sent sync.Map // calls that have not ended: string -> *Call
	made atomic.Uint64
)

// Call is one batch whose caller waits for its verdicts. bleve's Batch has no place for a context or for verdicts, so a batch
// has the key of its call among its internal values, and the index type takes that out before it writes the batch.
type Call struct {
	// Context ends the wait for other batches.
	Context context.Context

	// Dry has the batch judged, and not written.
	Dry bool

	// Groups are names that documents keep, by their ids, whatever the policy is.
	Groups map[string]string

	// Verdicts are those on the documents of the batch, in the order of their ids. The index type sets them.
	Verdicts []admission.Verdict
}

// Send sets an internal value of the batch of the call, has bleve write the batch, and returns the verdicts.
func (c *Call) Send(set func(key, value []byte), write func() error) ([]admission.Verdict, error) {
	key := callPrefix + strconv.FormatUint(made.Add(1), 10)
	sent.Store(key, c)
	defer sent.Delete(key)
	set([]byte(key), []byte{})
	if err := write(); err != nil {
		return nil, err
	}
	return c.Verdicts, nil
}

// Rejected returns an *admission.Rejected for the documents that were rejected, nil if none was.
func Rejected(verdicts []admission.Verdict) error {
	var r admission.Rejected
	for _, v := range verdicts {
		if v.Action == admission.Reject {
			r.Verdicts = append(r.Verdicts, v)
		}
	}
	if r.Verdicts == nil {
		return nil
	}
	return &r
}

// Take returns the call among the internal values of a batch, nil if there is none, and the
// values without it.
func Take(internal map[string][]byte) (c *Call, rest map[string][]byte) {
	rest = internal
	for key := range internal {
		if !strings.HasPrefix(key, callPrefix) {
			continue
		}
		rest = maps.Clone(rest)
		delete(rest, key)
		if known, ok := sent.Load(key); ok {
			c = known.(*Call)
		}
	}
	return c, rest
}
