package column

import (
	"cmp"
	"context"
	"slices"
	"strings"
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
// looking as that will take; an index that changes all the time never comes to it. If
// it takes long, searches do not wait, and go on looking meanwhile.

// Estimates of what takes how long.
const (
	lookTime = 900 * time.Nanosecond  // for a match, to look for near-duplicates of it
	joinTime = 1700 * time.Nanosecond // for a document of the snapshot, to find its family
	readTime = 4 * time.Microsecond   // the same, if its signature is not in memory
	waitTime = 20 * time.Millisecond  // the longest that a search waits
)

// Readers are the Readers of a field in snapshots of several indexes, which are searched together.
// Their documents are numbered one after the other: to the number of a document in its snapshot comes
// the Len of the Readers before.
type Readers []*Reader

// finding is what is known of snapshots by one rule.
type finding struct {
	snapshots []weak.Pointer[scorch.IndexSnapshot]
	field     string
	rule      signature.Rule

	mu       sync.Mutex
	spent    time.Duration
	begun    bool
	families *Families // nil if they were not found
}

// Families has the families of the documents of snapshots, by their numbers.
// Documents of different families are no near-duplicates. Alone and Unreadable are no
// families.
type Families struct {
	Uniform bool // the signatures are; else families were not looked for
	Of      []uint32
	Count   int      // Of is less
	Rank    []uint32 // the order of the ids within a family; of equal ids, the order of the snapshots
	Cliques []bool   // by family: all of it are near-duplicates of each other
}

// What Families.Of has for documents that are in no family.
const (
	Alone      = 0 // no near-duplicate in the snapshots
	Unreadable = 1 // no signature, or one that is damaged
)

// Families returns the families of the snapshots by rule, nil as long as they are not
// known; matches is how many documents the caller then looks at itself. It panics without a Reader.
func (readers Readers) Families(rule signature.Rule, matches int) *Families {
	f := readers.finding(rule)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.families != nil {
		return f.families
	}
	cost, fits := readers.cost()
	enough := f.spent >= cost && !f.begun && fits
	f.spent += time.Duration(matches) * lookTime
	switch {
	case !enough:
	case cost <= waitTime:
		f.families = readers.find(context.Background(), rule)
	default:
		f.begun = true
		readers.beside(func(ctx context.Context) {
			found := readers.find(ctx, rule)
			f.mu.Lock()
			defer f.mu.Unlock()
			f.families = found
		})
	}
	return f.families
}

// cost is how long it takes to find the families, and whether the stores have places for the signatures.
func (readers Readers) cost() (cost time.Duration, fits bool) {
	fits = true
	for _, r := range readers {
		docs, unread := r.size()
		cost += time.Duration(docs)*joinTime + time.Duration(unread)*readTime
		fits = fits && docs <= cmp.Or(r.store.most, defaultMost)
	}
	return cost, fits
}

// beside does work beside searches, with the snapshots kept open, until a Store is closed.
func (readers Readers) beside(work func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	var held []func()
	release := func() {
		cancel()
		for _, f := range held {
			f()
		}
	}
	for _, r := range readers {
		f, ok := r.hold(cancel)
		if !ok {
			release()
			return
		}
		held = append(held, f)
	}
	go func() {
		defer release()
		work(ctx)
	}()
}

// hold keeps the snapshot open until release is called, for which a Store that is closed waits. It
// then calls cancel. hold returns false if the Store is closed.
func (r *Reader) hold(cancel func()) (release func(), ok bool) {
	snapshot := r.snapshot.Value()
	s := r.store
	s.mu.Lock()
	defer s.mu.Unlock()
	if snapshot == nil || s.closed {
		return nil, false
	}
	if s.cancel == nil {
		s.ctx, s.cancel = context.WithCancel(context.Background())
	}
	snapshot.AddRef()
	s.work.Add(1)
	stop := context.AfterFunc(s.ctx, cancel)
	return func() {
		stop()
		snapshot.Close()
		s.work.Done()
	}, true
}

// Close ends what is done beside searches.
func (s *Store) Close() {
	s.mu.Lock()
	s.closed = true
	if s.cancel != nil {
		s.cancel()
	}
	s.mu.Unlock()
	s.work.Wait()
}

// maxFindings is how many rules, fields and lists of snapshots are kept track of.
const maxFindings = 8

// finding returns what is known of the snapshots, which must be the newest. The Store of the first
// one keeps it.
func (readers Readers) finding(rule signature.Rule) *finding {
	p := &finding{field: readers[0].field, rule: rule.Normal()}
	for _, r := range readers {
		p.snapshots = append(p.snapshots, r.snapshot)
	}
	s := readers[0].store
	s.mu.Lock()
	defer s.mu.Unlock()
	s.findings = slices.DeleteFunc(s.findings, func(old *finding) bool { return old.snapshots[0] != p.snapshots[0] || old.gone() })
	for _, old := range s.findings {
		if old.field == p.field && old.rule == p.rule && slices.Equal(old.snapshots, p.snapshots) {
			return old
		}
	}
	s.findings = append(slices.Delete(s.findings, 0, max(0, len(s.findings)-maxFindings+1)), p)
	return p
}

// gone reports whether a snapshot is there no more.
func (f *finding) gone() bool {
	return slices.ContainsFunc(f.snapshots, func(p weak.Pointer[scorch.IndexSnapshot]) bool { return p.Value() == nil })
}

// size is the number of documents, and of those whose signatures are not in memory.
func (r *Reader) size() (all, unread int64) {
	for _, c := range r.columns {
		all += int64(c.Len())
		unread += int64(c.Len()) - c.read.Load()
	}
	return all, unread
}

// find finds the families, nil if an index cannot be read or ctx is done.
func (readers Readers) find(ctx context.Context, rule signature.Rule) *Families {
	all, err := readers.All(ctx, nil)
	if err != nil {
		return nil
	}
	of := make([]uint32, all.Len())
	var uniform Uniform
	for doc := range of {
		if sig, ok := all.At(doc); ok {
			uniform.See(&sig)
		} else {
			of[doc] = Unreadable
		}
	}
	f := &Families{Of: of, Count: Unreadable + 1, Rank: make([]uint32, len(of)), Uniform: uniform.Fits(rule)}
	if !f.Uniform {
		return f
	}
	if err := f.join(ctx, rule, all); err != nil {
		return nil
	}
	if readers.rank(f) != nil {
		return nil
	}
	f.cliques(rule, all)
	return f
}

// join numbers the families of those that are not Unreadable.
func (f *Families) join(ctx context.Context, rule signature.Rule, all *All) error {
	roots, err := table.Connect(ctx, rule, all.Len(), all.At, nil, nil, nil)
	if err != nil {
		return err
	}
	numbers := make([]uint32, len(roots)) // of the families, by their roots
	for doc, root := range roots {
		if uint32(doc) != root && numbers[root] == 0 {
			numbers[root] = uint32(f.Count)
			f.Count++
		}
	}
	for doc, root := range roots {
		if f.Of[doc] != Unreadable {
			f.Of[doc] = numbers[root]
		}
	}
	return nil
}

// manyKinds is how many different signatures a clique may have: each document of its
// family is compared with as many.
const manyKinds = 64

// cliques finds the families that are cliques, as most are.
func (f *Families) cliques(rule signature.Rule, all *All) {
	f.Cliques = make([]bool, f.Count)
	for family := Unreadable + 1; family < f.Count; family++ {
		f.Cliques[family] = true
	}
	kinds := make([][]signature.Signature, f.Count)
	for doc, family := range f.Of {
		if f.Cliques[family] {
			sig, _ := all.At(doc)
			kinds[family], f.Cliques[family] = meet(rule, kinds[family], sig)
		}
	}
}

// meet adds a signature to the different ones of a family, and reports whether it is a
// near-duplicate of each.
func meet(rule signature.Rule, kinds []signature.Signature, s signature.Signature) ([]signature.Signature, bool) {
	for i := range kinds {
		k := &kinds[i]
		if s.Exact == k.Exact && s.Simhash == k.Simhash && s.Tokens == k.Tokens && slices.Equal(s.Sketch, k.Sketch) {
			return kinds, true // the kinds after k were compared with it
		}
		if !rule.Duplicates(&s, k) {
			return nil, false
		}
	}
	return append(kinds, s), len(kinds) < manyKinds
}

// rank ranks the documents that are not Alone by their ids.
func (readers Readers) rank(f *Families) (err error) {
	defer Guard("ids", &err)
	var ids []string
	var docs []int
	begin := 0
	for _, r := range readers {
		end := begin + r.Len()
		for doc := begin; doc < end; doc++ {
			if f.Of[doc] == Alone {
				continue
			}
			i, n, err := r.segment(uint64(doc - begin))
			if err != nil {
				return err
			}
			id, err := r.segments[i].DocID(n)
			if err != nil {
				return err
			}
			ids, docs = append(ids, string(id)), append(docs, doc)
		}
		begin = end
	}
	order := make([]int, len(ids))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(strings.Compare(ids[a], ids[b]), a-b) })
	for rank, i := range order {
		f.Rank[docs[i]] = uint32(rank)
	}
	return nil
}

// Uniform says whether signatures were made with the same parameters. Where they
// were not, which of them count as foreign depends on the rank of all, those without
// a near-duplicate included.
type Uniform struct {
	any    bool
	params uint32
	lanes  int
	mixed  bool
}

// See adds a signature.
func (u *Uniform) See(s *signature.Signature) {
	if !u.any {
		u.any, u.params = true, s.Params
	}
	u.mixed = u.mixed || s.Params != u.params
	u.lanes = max(u.lanes, s.Lanes)
}

// Fits reports whether all had the same parameters, and the sketches as many lanes as
// rule asks for.
func (u *Uniform) Fits(rule signature.Rule) bool {
	return !u.mixed && (u.lanes == 0 || u.lanes >= rule.Lanes)
}
