package cluster

import (
	"fmt"

	"github.com/neardup/bleve-neardup/plugin/cluster/internal/rpc"
)

// anchor is how far the index of a copy has come: the log that it was written from, and the number
// and the sum of the last record of its documents. A copy reads on from that record, which
// must be the first record that it gets. Another log does not have it, nor does a log that was
// cut short, even if that log has grown beyond the number since.
type anchor struct {
	Log string `json:"log"`
	Seq uint64 `json:"seq"` // 0 if there are no documents
	Sum uint64 `json:"sum"`
}

// before is the number after which to read.
func (a anchor) before() uint64 { return max(a.Seq, 1) - 1 }

// begin takes the first record after reading began. If there is an anchor, it must be its record.
func (p *partition) begin(subject string, r Record) error {
	anchored := p.anchor.Seq > 0
	if got := rpc.Sum(r.Data); anchored && (r.Subject != subject || r.Seq != p.anchor.Seq || got != p.anchor.Sum) {
		return fmt.Errorf("cluster: %w: wanted record %d of %s with the sum %016x, got record %d of %s with %016x",
			ErrLog, p.anchor.Seq, subject, p.anchor.Sum, r.Seq, r.Subject, got)
	}
	p.begun = true
	p.mu.Lock()
	p.verified = true
	p.wake()
	p.mu.Unlock()
	if anchored { // it is in the index
		return nil
	}
	return p.take(subject, r)
}
