package column

import (
	"sync"
	"time"
	"weak"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// Most documents have no near-duplicate in the whole index, so no query needs to
// look for one among its matches. Which those are is found out once for a snapshot
// and a rule, when searches have spent as much time on looking as that will take;
// an index that changes all the time never comes to it.

// Estimates of what takes how long.
const (
	lookTime = 900 * time.Nanosecond // for a match, to look for near-duplicates of it
	pairTime = 900 * time.Nanosecond // for a document of the snapshot, to find out
	readTime = 20 * time.Microsecond // the same, if its signature is not in memory
	mostTime = 500 * time.Millisecond
)

// pairing is what is known of one snapshot by one rule.
type pairing struct {
	snapshot weak.Pointer[scorch.IndexSnapshot]
	field    string
	rule     signature.Rule

	mu     sync.Mutex
	spent  time.Duration
	paired []bool // by document number; nil if it was not found out
}

// Paired tells which documents of the snapshot may have a near-duplicate in it by
// rule, by their numbers: all that have one or have no readable signature, and no
// other; but all documents if the signatures are not Uniform. It returns nil as long
// as that is not known; matches is how many documents the caller then looks at
// itself.
func (r *Reader) Paired(rule signature.Rule, matches int) []bool {
	p := r.store.pairing(r.snapshot, r.field, rule)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paired != nil {
		return p.paired
	}
	all, unread := r.size()
	cost := time.Duration(all)*pairTime + time.Duration(unread)*readTime
	if p.spent >= cost && cost <= mostTime {
		p.paired = r.findPaired(rule)
	}
	p.spent += time.Duration(matches) * lookTime
	return p.paired
}

// maxPairings is how many rules and fields are kept track of.
const maxPairings = 8

// pairing returns what is known of a snapshot, which must be the newest.
func (s *Store) pairing(snapshot weak.Pointer[scorch.IndexSnapshot], field string, rule signature.Rule) *pairing {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.pairings[:0]
	for _, p := range s.pairings {
		if p.snapshot != snapshot {
			continue
		}
		if kept = append(kept, p); p.field == field && p.rule == rule {
			return p
		}
	}
	p := &pairing{snapshot: snapshot, field: field, rule: rule}
	s.pairings = append(kept[max(0, len(kept)-maxPairings+1):], p)
	return p
}

// size is the number of documents, and of those whose signatures are not in memory.
func (r *Reader) size() (all, unread int64) {
	for _, c := range r.columns {
		all += int64(c.Len())
		unread += int64(c.Len()) - c.kept.Load()
	}
	return all, unread
}

func (r *Reader) findPaired(rule signature.Rule) []bool {
	all, _ := r.size()
	signatures := make([]*signature.Signature, all)
	for doc := range signatures {
		signatures[doc], _ = r.Signature(uint64(doc)) // nil is told below
	}
	var uniform Uniform
	paired := table.Paired(rule, signatures)
	for doc, sig := range signatures {
		if paired[doc] = paired[doc] || sig == nil; sig != nil {
			uniform.See(sig)
		}
	}
	if !uniform.Fits(rule) {
		for doc := range paired {
			paired[doc] = true
		}
	}
	return paired
}

// Uniform tells whether signatures were made with the same parameters. Where they
// were not, which of them count as foreign depends on the rank of all, those without
// a near-duplicate included.
type Uniform struct {
	first *signature.Signature
	lanes int
	mixed bool
}

// See adds a signature.
func (u *Uniform) See(s *signature.Signature) {
	if u.first == nil {
		u.first = s
	}
	u.mixed = u.mixed || s.Params != u.first.Params
	u.lanes = max(u.lanes, s.Lanes)
}

// Fits reports whether all had the same parameters, and the sketches as many lanes as
// rule asks for.
func (u *Uniform) Fits(rule signature.Rule) bool {
	return !u.mixed && (u.lanes == 0 || u.lanes >= rule.Lanes)
}
