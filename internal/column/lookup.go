package column

import (
	"context"
	"hash/maphash"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
	scorchsegment "github.com/blevesearch/scorch_segment_api/v2"
	"golang.org/x/sync/errgroup"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Lookup finds the documents of one snapshot whose signatures meet a rule with a
// given one, and misses none unless its plan does. It has the signatures of all documents in memory, 130
// bytes each, by segment, and tables of about 71 more (package table) where enough was asked for. What is new
// in a later snapshot alone is read and sorted for that.
type Lookup struct {
	// Damaged is the number of documents whose signature cannot be read.
	Damaged int

	reader *Reader
	tables []*table.Frozen // of the segments
}

// asked is what tables are made for.
type asked struct {
	rule  signature.Rule
	plan  table.Plan
	scope string
	named bool // whether groups are known
}

// frozen is a table of a column. It has no keys until they are due.
type frozen struct {
	asked
	*table.Frozen
	damaged       []int // documents, with those that were deleted since
	keyed, making bool
}

// maxFrozen is how many rules, plans and scopes tables are kept for.
const maxFrozen = 4

// Lookup returns a Lookup by a rule and a plan, which must be valid. If scope is the name of an
// indexed field, a probe finds only documents that have the same terms there; if it
// is empty, all. It reads the signatures that are not in memory, and fails with ctx,
// or if the terms of scope cannot be read.
func (r *Reader) Lookup(ctx context.Context, rule signature.Rule, plan table.Plan, scope string) (*Lookup, error) {
	return r.lookup(ctx, asked{rule.Normal(), plan, scope, false}, plan != table.Plan{})
}

// NamedLookup is Lookup without a plan, for documents whose groups have names: see First.
func (r *Reader) NamedLookup(ctx context.Context, rule signature.Rule, scope string) (*Lookup, error) {
	return r.lookup(ctx, asked{rule.Normal(), table.Plan{}, scope, true}, false)
}

// lookup returns a Lookup, of which all tables have keys if they must. Else the first lookups after an opening or a
// merge compare all documents, and keys are made beside them.
func (r *Reader) lookup(ctx context.Context, a asked, must bool) (*Lookup, error) {
	l := &Lookup{reader: r}
	for i := range r.columns {
		f, err := r.freeze(ctx, i, a, must)
		if err != nil {
			return nil, err
		}
		l.tables, l.Damaged = append(l.tables, f.Frozen), l.Damaged+r.shown(i, f.damaged)
	}
	return l, nil
}

// freeze returns the table of the i-th segment as it is now.
func (r *Reader) freeze(ctx context.Context, i int, a asked, must bool) (frozen, error) {
	c := r.columns[i]
	c.mu.Lock()
	defer c.mu.Unlock()
	f, err := r.frozen(ctx, i, a)
	switch {
	case err != nil:
		return frozen{}, err
	case f.keyed:
	case must:
		f.Frozen, f.keyed = f.Keyed(a.rule, a.plan), true
	case f.Due() && !f.making:
		bare := f.Frozen
		f.making = r.beside(func() {
			keyed := bare.Keyed(a.rule, a.plan)
			c.mu.Lock()
			f.Frozen, f.keyed = keyed, true
			c.mu.Unlock()
		})
	}
	return *f, nil
}

// frozen returns what the i-th segment has for a, without keys if it is new. The caller holds the lock of its column.
func (r *Reader) frozen(ctx context.Context, i int, a asked) (*frozen, error) {
	c := r.columns[i]
	if at := slices.IndexFunc(c.frozen, func(f *frozen) bool { return f.asked == a }); at >= 0 {
		return c.frozen[at], nil
	}
	r.store.makeDense(true, c)
	if err := r.load(ctx, i, c.Column, nil); err != nil {
		return nil, err
	}
	var scopes, groups []uint64
	var err error
	if a.scope != "" {
		if scopes, err = scopesOf(r.segments[i], a.scope); err != nil {
			return nil, err
		}
	}
	if a.named {
		if groups, err = groupsOf(r.segments[i]); err != nil {
			return nil, err
		}
	}
	if len(c.frozen) == maxFrozen {
		c.frozen = append(c.frozen[:0:0], c.frozen[1:]...)
	}
	f := &frozen{asked: a, Frozen: table.Freeze(c.Column, scopes, groups)}
	for n := range c.Len() {
		if !c.Known(n) {
			f.damaged = append(f.damaged, n)
		}
	}
	c.frozen = append(c.frozen, f)
	return f, nil
}

// shown returns how many of these documents of the i-th segment are not deleted.
func (r *Reader) shown(i int, docs []int) (n int) {
	for _, doc := range docs {
		r.show(i, doc, func(uint64) bool { n++; return true })
	}
	return n
}

// beside does work in memory beside searches. It reports false if it does not: the Store is closed.
func (r *Reader) beside(work func()) bool {
	release, ok := r.hold(func() {})
	if ok {
		go func() {
			defer release()
			work()
		}()
	}
	return ok
}

// load reads the signatures of the i-th segment that into, its column or another one, does not know, on all
// processors. progress, which may be nil, is called with how many documents more are done, never twice at a time.
func (r *Reader) load(ctx context.Context, i int, into *table.Column, progress func(documents int)) error {
	var work errgroup.Group
	var calling sync.Mutex
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), 1+into.Len()/chunk) {
		work.Go(func() error {
			values := newValues(r.segments[i], r.name) // whose memory serves for all
			for {
				end := int(next.Add(chunk))
				begin := end - chunk
				if begin >= into.Len() || ctx.Err() != nil {
					return nil
				}
				end = min(end, into.Len())
				for n := begin; n < end; n++ {
					r.set(i, n, into, values)
				}
				if progress != nil {
					calling.Lock()
					progress(end - begin)
					calling.Unlock()
				}
			}
		})
	}
	_ = work.Wait()
	return ctx.Err()
}

// chunk is how many documents are read one after the other: a whole number of bleve's blocks.
const chunk = 4 * termsBlock

// set reads the n-th document of the i-th segment into a column that might know it. What is damaged is read again
// each time.
func (r *Reader) set(i, n int, into *table.Column, from *values) {
	if into.Known(n) {
		return
	}
	sig, err := from.read(uint64(n))
	switch {
	case err != nil && err != stored.ErrNone:
	case into == r.columns[i].Column:
		r.store.keep(r.columns[i], n, sig)
	default:
		into.Set(n, sig)
	}
}

// Near yields the numbers of all documents of the snapshot that are near-duplicates
// of p's signature, each once, in no order, until yield returns false. It reports
// whether yield never did. p must be prepared for the rule and the plan, and the scope by
// ScopeOf.
func (l *Lookup) Near(p *table.Probe, yield func(doc uint64) bool) bool {
	return table.Near(l.tables, p, func(i, n int) bool { return l.reader.show(i, n, yield) })
}

// First yields at least one near-duplicate of p's signature from each group that has any, if yield returns true for it.
// l must be a NamedLookup, and p prepared as for Near.
func (l *Lookup) First(p *table.Probe, yield func(doc uint64) bool) {
	table.First(l.tables, p, func(i, n int) (is bool) {
		l.reader.show(i, n, func(doc uint64) bool {
			is = yield(doc)
			return true
		})
		return is
	})
}

// Group returns the name of a document's group as a number, 0 if it has none. l must be a NamedLookup.
func (l *Lookup) Group(doc uint64) uint64 {
	i, n, _ := segmentOf(l.reader.ends, doc)
	return l.tables[i].Group(int(n))
}

// Members yields the documents of a group until yield returns false. l must be a NamedLookup.
func (l *Lookup) Members(group uint64, yield func(doc uint64) bool) {
	for i, t := range l.tables {
		for _, n := range t.Members(group) {
			if !l.reader.show(i, int(n), yield) {
				return
			}
		}
	}
}

// show yields the number of the n-th document of the i-th segment, unless it is deleted. It reports whether yield
// wants more.
func (r *Reader) show(i, n int, yield func(doc uint64) bool) bool {
	deleted := r.segments[i].Deleted()
	return deleted != nil && deleted.ContainsInt(n) || yield(r.ends[i]-uint64(r.columns[i].Len()-n))
}

// Scope returns the scope of a document, which must be one of the snapshot.
func (l *Lookup) Scope(doc uint64) uint64 {
	i, n, _ := segmentOf(l.reader.ends, doc)
	return l.tables[i].Scope(int(n))
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

// groupsOf returns, for each document of a segment, the number of its group, 0 if it has none.
func groupsOf(segment *scorch.SegmentSnapshot) (groups []uint64, err error) {
	defer Guard("names of groups", &err)
	groups = make([]uint64, segment.FullSize())
	values := visitable(segment, stored.GroupField)
	if values == nil {
		return groups, nil
	}
	var state scorchsegment.DocVisitState
	name, n := []string{stored.GroupField}, 0
	add := func(_ string, term []byte) { groups[n], _ = strconv.ParseUint(string(term), 16, 64) }
	for n = range groups {
		if state, err = values.VisitDocValues(uint64(n), name, add, state); err != nil {
			return nil, err
		}
	}
	return groups, nil
}

// scopesOf returns the scope of each document of a segment, by its terms in a field.
func scopesOf(segment *scorch.SegmentSnapshot, field string) (scopes []uint64, err error) {
	defer Guard("terms of field "+field, &err)
	scopes = make([]uint64, segment.FullSize())
	dict, err := segment.Segment().Dictionary(field)
	if err != nil || dict == nil {
		return scopes, err
	}
	terms := dict.AutomatonIterator(nil, nil, nil)
	var list scorchsegment.PostingsList // and postings serve for all terms
	var postings scorchsegment.PostingsIterator
	for {
		entry, err := terms.Next()
		if err != nil || entry == nil {
			return scopes, err
		}
		term := []byte(entry.Term)
		if list, err = dict.PostingsList(term, nil, list); err != nil {
			return nil, err
		}
		own := maphash.Bytes(seed, term)
		postings = list.Iterator(false, false, false, postings)
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
