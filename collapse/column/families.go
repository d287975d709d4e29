package column

import (
	"context"
	"sync"
	"time"
	"weak"

	"github.com/blevesearch/bleve/v2/index/scorch"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// Most documents have no near-duplicate in the whole index, so no query needs to
// look for one among its matches, and the others are near-duplicates of a few at most:
// those that they are joined with by chains of near-duplicates. These families are
// found once for a snapshot and a rule, when searches have spent as much time on
// looking as that will take; an index that changes all the time never comes to it.

// Estimates of what takes how long.
const (
	lookTime = 900 * time.Nanosecond // for a match, to look for near-duplicates of it
	joinTime = 900 * time.Nanosecond // for a document of the snapshot, to find its family
	readTime = 20 * time.Microsecond // the same, if its signature is not in memory
	mostTime = 2 * time.Second
)

// finding is what is known of one snapshot by one rule.
type finding struct {
	snapshot weak.Pointer[scorch.IndexSnapshot]
	field    string
	rule     signature.Rule

	mu       sync.Mutex
	spent    time.Duration
	families []uint32 // by document number; nil if they were not found
}

// What Families tells of documents that are in no family.
const (
	Alone      = 0 // no near-duplicate in the whole snapshot
	Unreadable = 1 // no signature, or one that is damaged
)

// Families tells the families of the documents of the snapshot by rule, by their
// numbers: documents of different families are no near-duplicates. Alone and
// Unreadable are no families; if the signatures are not Uniform, all that have one are
// of the same family. It returns nil as long as the families are not known; matches is
// how many documents the caller then looks at itself.
func (r *Reader) Families(rule signature.Rule, matches int) []uint32 {
	f := r.store.finding(r.snapshot, r.field, rule)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.families != nil {
		return f.families
	}
	all, unread := r.size()
	cost := time.Duration(all)*joinTime + time.Duration(unread)*readTime
	if f.spent >= cost && cost <= mostTime {
		f.families = r.findFamilies(rule)
	}
	f.spent += time.Duration(matches) * lookTime
	return f.families
}

// maxFindings is how many rules and fields are kept track of.
const maxFindings = 8

// finding returns what is known of a snapshot, which must be the newest.
func (s *Store) finding(snapshot weak.Pointer[scorch.IndexSnapshot], field string, rule signature.Rule) *finding {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.findings[:0]
	for _, p := range s.findings {
		if p.snapshot != snapshot {
			continue
		}
		if kept = append(kept, p); p.field == field && p.rule == rule {
			return p
		}
	}
	p := &finding{snapshot: snapshot, field: field, rule: rule}
	s.findings = append(kept[max(0, len(kept)-maxFindings+1):], p)
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

func (r *Reader) findFamilies(rule signature.Rule) []uint32 {
	all, _ := r.size()
	families := make([]uint32, all)
	var uniform Uniform
	for doc := range families {
		if sig, _ := r.Signature(uint64(doc)); sig != nil {
			uniform.See(sig)
		} else {
			families[doc] = Unreadable
		}
	}
	if !uniform.Fits(rule) {
		for doc, f := range families {
			if f != Unreadable {
				families[doc] = Unreadable + 1
			}
		}
		return families
	}
	roots, err := table.Connect(context.Background(), rule, int(all), func(doc int) (signature.Signature, bool) {
		if families[doc] == Unreadable {
			return signature.Signature{}, false
		}
		sig, err := r.Signature(uint64(doc))
		return *sig, err == nil
	}, nil, nil)
	if err != nil {
		return nil // it has no reason to fail
	}
	size := make([]bool, all) // of a root: there is another
	for doc, root := range roots {
		if uint32(doc) != root {
			size[root] = true
		}
	}
	for doc, root := range roots {
		if size[root] && families[doc] != Unreadable {
			families[doc] = root + Unreadable + 1
		}
	}
	return families
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
