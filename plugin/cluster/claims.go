package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// Of near-duplicates that come at once through different nodes, one must be admitted.
// So a node claims the signatures of what it is about to admit: it appends them to the
// log, and the number of that record names the claim. All nodes read all claims, in one
// order. A node whose claim has a near-duplicate of something in an earlier claim waits until
// the earlier one is over, and only then looks into the index. A claim waits for smaller
// numbers only, so there is no deadlock. Whether two claims have near-duplicates is decided
// by the rule (table.Table), so no claim waits for one that merely shares a key.
//
// The name of a group rests on more than near-duplicates that come: it rests on those that go, and on the document that
// is replaced. So where groups have names, a claim has the ids and the old signatures of its documents, too, and to
// delete takes a claim. The old ones are known only when the index was asked, so a claim that lacks one is given up for
// one that has it. Then nothing that a name rests on changes between the lookup and the end of the claim.
//
// A claim is over when the log says so. Its holder releases it once its documents are in the log, or if it appends
// none, and revokes it if it does not know what the log has: copies keep for ever what was revoked. Any node revokes a
// claim that it has seen for longer than the expiry: its holder has died, or is as good as dead. That holder might not
// know, and still append documents. They are void: every document names its claim, and does not count if the record
// that revokes the claim comes first. All replicas read these records in the same order. So no clock decides what is in
// the index: clocks decide only how long others wait.

// mark is a record of SubjectMarks or SubjectRevoked: it ends a claim. A mark of claim 0 is
// a tick: a reader that has reached it has read everything before it.
type mark struct {
	Claim uint64 `json:"claim,omitempty"`
}

// claimed is a record of SubjectClaims.
type claimed struct {
	Signatures []*signature.Signature `json:"signatures"`
	IDs        []uint64               `json:"ids,omitempty"` // rpc.Sum of each
}

// meets reports whether two claims must be over one after the other.
func (c *claim) meets(other *claimed) bool {
	return slices.ContainsFunc(other.Signatures, func(s *signature.Signature) bool { return c.all.First(s) >= 0 }) ||
		slices.ContainsFunc(other.IDs, func(id uint64) bool { return slices.Contains(c.ids, id) })
}

// claim is one that is not over.
type claim struct {
	seq  uint64
	all  *table.Table
	ids  []uint64
	seen time.Time
	over chan struct{}
}

// claims is what a node knows of all claims.
type claims struct {
	rule signature.Rule
	log  *journal

	mu      sync.Mutex
	read    uint64        // the last record read
	moved   chan struct{} // closed when read grows
	failure error         // why the log is not read
	live    []*claim
	revoked map[uint64]uint64 // claims, and the numbers of the records that revoke them
}

func newClaims(rule signature.Rule, log *journal) *claims {
	return &claims{rule: rule, log: log, moved: make(chan struct{}), revoked: map[uint64]uint64{}}
}

// follow reads the log until ctx is done.
func (c *claims) follow(ctx context.Context) error {
	read, _, _ := c.state()
	return c.log.Read(ctx, "", []string{SubjectClaims, SubjectMarks, SubjectRevoked}, read, func(r Record) error {
		c.mu.Lock()
		defer c.mu.Unlock()
		if r.Subject == SubjectClaims {
			var own claimed
			if err := json.Unmarshal(r.Data, &own); err != nil {
				return err
			}
			n := &claim{seq: r.Seq, all: table.New(c.rule), ids: own.IDs, seen: time.Now(), over: make(chan struct{})}
			for _, sig := range own.Signatures {
				n.all.Add(sig)
			}
			c.live = append(c.live, n)
		} else {
			var m mark
			if err := json.Unmarshal(r.Data, &m); err != nil {
				return err
			}
			if _, known := c.revoked[m.Claim]; r.Subject == SubjectRevoked && !known {
				c.revoked[m.Claim] = r.Seq
			}
			c.end(m.Claim)
		}
		c.read, c.failure = r.Seq, nil
		close(c.moved)
		c.moved = make(chan struct{})
		return nil
	})
}

func (c *claims) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failure = err
}

// end ends a claim.
func (c *claims) end(seq uint64) {
	c.live = slices.DeleteFunc(c.live, func(n *claim) bool {
		if n.seq == seq {
			close(n.over)
		}
		return n.seq == seq
	})
}

// state is the last record that was read, how many claims are not over, and why the log is not read.
func (c *claims) state() (read uint64, held int, failure error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.read, len(c.live), c.failure
}

// reach waits until this node has read the record of that number.
func (c *claims) reach(ctx context.Context, seq uint64) error {
	for {
		c.mu.Lock()
		read, moved := c.read, c.moved
		c.mu.Unlock()
		if read >= seq {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// errRevoked: the claim was taken away.
var errRevoked = errors.New("cluster: the claim was revoked")

// take appends a claim, and waits until earlier claims that it meets are over. If take
// returns an error and a claim that is not 0, the caller must give that claim up.
func (c *claims) take(ctx context.Context, all *claimed) (own uint64, err error) {
	body, err := json.Marshal(all)
	if err != nil {
		return 0, err
	}
	// A claim whose number is not known cannot be given up: it expires.
	if own, err = c.log.Append(ctx, SubjectClaims, body); err != nil {
		return 0, err
	}
	if err := c.reach(ctx, own); err != nil {
		return own, err
	}
	for _, n := range c.before(own, all) {
		select {
		case <-n.over:
		case <-ctx.Done():
			return own, context.Cause(ctx)
		}
	}
	if c.revokedAt(own) > 0 {
		return own, errRevoked
	}
	return own, nil
}

// before returns the live claims before own that it meets.
func (c *claims) before(own uint64, all *claimed) []*claim {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.live), func(n *claim) bool {
		return n.seq >= own || !n.meets(all)
	})
}

// revokedAt is the number of the record that revokes a claim, 0 if this node has read none.
func (c *claims) revokedAt(seq uint64) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.revoked[seq]
}

// expire revokes claims that are older than expiry, until ctx is done.
func (c *claims) expire(ctx context.Context, expiry time.Duration) {
	tick := time.NewTicker(expiry / 4)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		c.mu.Lock()
		var old []uint64
		for _, n := range c.live {
			if time.Since(n.seen) > expiry {
				old = append(old, n.seq)
			}
		}
		c.mu.Unlock()
		for _, seq := range old {
			c.mark(ctx, SubjectRevoked, seq) // tried again at the next tick
		}
	}
}

// mark appends a mark: to SubjectMarks it releases a claim whose documents are all in the log, or is a tick for
// claim 0; to SubjectRevoked it ends one whose documents might still get into the log, and will not count.
func (c *claims) mark(ctx context.Context, subject string, claim uint64) (seq uint64, err error) {
	body, err := json.Marshal(mark{claim})
	if err != nil {
		return 0, err
	}
	return c.log.Append(ctx, subject, body)
}
