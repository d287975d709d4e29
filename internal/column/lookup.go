package column

import (
	"context"
	"hash/maphash"
	"math/bits"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// Lookup finds the documents of one snapshot whose signatures meet a rule with a
// given one, and misses none unless its plan does. It has the signatures of all documents in memory, 230
// bytes each, and tables of about 100 more (package table), by segment; what is new
// in a later snapshot alone is read and sorted for that.
type Lookup struct {
	tables   []*table.Frozen // of the segments
	segments []segment
}

type segment struct {
	base    uint64 // its first document's number
	deleted *roaring.Bitmap
}

// asked is what tables are made for.
type asked struct {
	rule  signature.Rule
	plan  table.Plan
	scope string
}

// frozen is a table of a column.
type frozen struct {
	asked
	*table.Frozen
}

// maxFrozen is how many rules, plans and scopes tables are kept for.
const maxFrozen = 4

// Lookup returns a Lookup by a rule and a plan, which must be valid. If scope is the name of an
// indexed field, a probe finds only documents that have the same terms there; if it
// is empty, all. It reads the signatures that are not in memory, and fails with ctx,
// or if the terms of scope cannot be read. Documents whose signature is damaged are not
// found.
func (r *Reader) Lookup(ctx context.Context, rule signature.Rule, plan table.Plan, scope string) (*Lookup, error) {
	if ctx == nil {
		return nil, errNoContext
	}
	l := &Lookup{make([]*table.Frozen, 0, len(r.columns)), make([]segment, 0, len(r.columns))}
	a := asked{rule.Normal(), plan, scope}
	latest := r.store.looked.Load()
	if latest != nil && latest.asked != a {
		latest = nil
	}
	var base uint64
	for i, c := range r.columns {
		f := latest.of(i, c)
		if f == nil {
			var err error
			if f, err = r.freeze(ctx, i, a); err != nil {
				return nil, err
			}
		}
		l.tables, l.segments = append(l.tables, f), append(l.segments, segment{base, r.segments[i].Deleted()})
		base = r.ends[i]
	}
	r.store.looked.Store(&lookups{a, r.columns, l.tables})
	return l, nil
}

// lookups are the tables of the newest Lookup, so that the next one need not find them one by one: see readers.
type lookups struct {
	asked
	columns []*column
	tables  []*table.Frozen
}

// of returns the table of the i-th column if that is c, or nil.
func (l *lookups) of(i int, c *column) *table.Frozen {
	if l == nil || i >= len(l.columns) || l.columns[i] != c {
		return nil
	}
	return l.tables[i]
}

// freeze returns the tables of the i-th segment.
func (r *Reader) freeze(ctx context.Context, i int, a asked) (*table.Frozen, error) {
	c := r.columns[i]
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.frozen {
		if f.asked == a {
			return f.Frozen, nil
		}
	}
	if err := r.fill(ctx, i); err != nil {
		return nil, err
	}
	var scopes []uint64
	if a.scope != "" {
		var err error
		if scopes, err = scopesOf(r.segments[i], a.scope); err != nil {
			return nil, err
		}
	}
	f := table.Freeze(c.Column, a.rule, a.plan, scopes)
	if len(c.frozen) == maxFrozen {
		c.frozen = append(c.frozen[:0:0], c.frozen[1:]...)
	}
	c.frozen = append(c.frozen, frozen{a, f})
	return f, nil
}

// fill reads all signatures of the i-th segment.
func (r *Reader) fill(ctx context.Context, i int) error {
	c := r.columns[i]
	r.store.makeDense(true, c)
	return r.load(ctx, i, c.Column, nil)
}

// load reads the signatures of the i-th segment that into, its column or another one, does not know, on all
// processors. progress, which may be nil, is called with how many documents more are done, never twice at a time.
func (r *Reader) load(ctx context.Context, i int, into *table.Column, progress func(documents int)) error {
	const chunk = 512
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var wait sync.WaitGroup
	var calling sync.Mutex
	for range min(runtime.GOMAXPROCS(0), 1+into.Len()/chunk) {
		wait.Go(func() {
			values := newValues(r.segments[i], r.name)
			for begin := int(next.Add(chunk)) - chunk; begin < into.Len() && failed.Load() == nil; begin = int(next.Add(chunk)) - chunk {
				if err := ctx.Err(); err != nil {
					failed.Store(&err)
					return
				}
				end := min(begin+chunk, into.Len())
				for n := begin; n < end; n++ {
					if into.Known(n) {
						continue
					}
					if sig, damage := values.read(uint64(n)); into == r.columns[i].Column {
						r.store.keep(r.columns[i], n, sig, damage)
					} else {
						into.Set(n, sig)
					}
				}
				if progress != nil {
					calling.Lock()
					progress(end - begin)
					calling.Unlock()
				}
			}
		})
	}
	wait.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// Near yields the numbers of all documents of the snapshot that are near-duplicates
// of p's signature, each once, in no order, until yield returns false. It reports
// whether yield never did. p must be prepared for the rule and the plan, and the scope by
// ScopeOf.
func (l *Lookup) Near(p *table.Probe, yield func(doc uint64) bool) bool {
	return table.Near(l.tables, p, func(n, i int) bool {
		s := &l.segments[n]
		return s.deleted != nil && s.deleted.ContainsInt(i) || yield(s.base+uint64(i))
	})
}

// Guard makes Near pass over the keys of p that more than most documents hold, and
// returns how many those are: see table.Probe.Guard.
func (l *Lookup) Guard(p *table.Probe, most int) (passed int) { return p.Guard(most, l.tables...) }

// Number is what bleve calls an internal id.
func Number(doc uint64) index.IndexInternalID { return index.NewIndexInternalID(nil, doc) }

// seed makes scopes that nobody outside this process can compute.
var seed = maphash.MakeSeed()

// ScopeOf returns the scope of a document that has these terms in the scope field, in any order and any
// number of times: the same for the same set of terms, and 0 for none.
func ScopeOf(terms ...string) (scope uint64) {
	for _, t := range slices.Compact(slices.Sorted(slices.Values(terms))) {
		scope += maphash.String(seed, t)
	}
	return scope
}

// ValuesOf returns what ScopeIn returns of a document that has these terms in the field, 0 for none. scorch gives doc values in the
// order of terms, but cuts them at each byte 0xff, which IP addresses have: so the order counts.
func ValuesOf(terms ...string) (scope uint64) {
	for _, t := range slices.Compact(slices.Sorted(slices.Values(terms))) {
		for part := range strings.SplitSeq(t, "\xff") {
			scope = withValue(scope, []byte(part))
		}
	}
	return scope
}

// ScopeIn returns one number for the doc values of a document in a field, one of those that values is for: ValuesOf its terms.
func ScopeIn(values index.DocValueReader, doc index.IndexInternalID, field string) (scope uint64, err error) {
	err = values.VisitDocValues(doc, func(name string, term []byte) {
		if name == field {
			scope = withValue(scope, term)
		}
	})
	return scope, err
}

// withValue adds the next doc value to what ValuesOf and ScopeIn return.
func withValue(scope uint64, value []byte) uint64 {
	return bits.RotateLeft64(scope, 1) + maphash.Bytes(seed, value)
}

// scopesOf returns the scopes of all documents of a segment.
func scopesOf(segment *scorch.SegmentSnapshot, field string) (scopes []uint64, err error) {
	defer Guard("terms of field "+field, &err)
	scopes = make([]uint64, segment.FullSize())
	dict, err := segment.Segment().Dictionary(field)
	if err != nil || dict == nil {
		return scopes, err
	}
	terms := dict.AutomatonIterator(nil, nil, nil)
	for {
		entry, err := terms.Next()
		if err != nil || entry == nil {
			return scopes, err
		}
		term := []byte(entry.Term)
		list, err := dict.PostingsList(term, nil, nil)
		if err != nil {
			return nil, err
		}
		own := maphash.Bytes(seed, term)
		postings := list.Iterator(false, false, false, nil)
		for {
			posting, err := postings.Next()
			if err != nil {
				return nil, err
			}
			if posting == nil {
				break
			}
			scopes[posting.Number()] += own
		}
	}
}
