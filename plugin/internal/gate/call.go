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
	begun sync.Map // calls that have not ended: string -> *Call
	made  atomic.Uint64
)

// Call is one batch whose caller waits for its verdicts. bleve's Batch has no place for a context or for verdicts, so a batch
// has the key of its call among its internal values, and the index type takes that out before it writes the batch.
type Call struct {
	// Key is to be set as an internal value of the batch; it is not written.
	Key []byte

	// Context ends the wait for other batches.
	Context context.Context

	// Dry has the batch judged, and not written.
	Dry bool

	// Tag, if it is not empty, has the documents tagged as copies of the document of that id, and not
	// judged: those that the index has with the same signature. Others are not written.
	Tag string

	// Verdicts are there once the batch was written, for all of its documents in the
	// order of their ids.
	Verdicts []admission.Verdict
}

// Begin returns a Call for one batch. End must be called when the batch was written.
func Begin(ctx context.Context, dry bool) *Call {
	c := &Call{Key: []byte(callPrefix + strconv.FormatUint(made.Add(1), 10)), Context: ctx, Dry: dry}
	begun.Store(string(c.Key), c)
	return c
}

// End forgets the Call.
func (c *Call) End() { begun.Delete(string(c.Key)) }

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
		if known, ok := begun.Load(key); ok {
			c = known.(*Call)
		}
	}
	return c, rest
}
