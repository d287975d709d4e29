package column

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"weak"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/weakmap"
)

// Most documents have no near-duplicate in the whole index, and the others have them in their family: the documents
// that chains of near-duplicates join them with. A search that knows the families need not look at signatures to tell
// which of its matches are alone.
//
// Families are found once, beside searches, and carried from snapshot to snapshot. Documents of different families
// are never near-duplicates, and a partition that is too coarse is still right. So the documents of a new segment are
// looked up and join families, the documents of a merged one have the families that they had, and a deleted document
// takes nothing apart.
//
// Most families are cliques: any two of their documents are near-duplicates, so that of some matches the first hides
// all others, and none is compared. That is found with the families. A document with the text of another leaves a
// family a clique, and so does a deleted one; what else joins a family ends it.

// Readers are the Readers of a field in snapshots of several indexes, which are searched together.
type Readers []*Reader

// What Families has for documents that are in no family.
const (
	Alone      = 0 // no near-duplicate in the indexes
	Unreadable = 1 // no signature, or one that is damaged
)

// Clique is set in the number of a family of which any two documents are near-duplicates.
const Clique = 1 << 31

// Kin is what is known of a document.
type Kin struct {
	Family uint32
	Rank   uint32 // in the order of ids, among all documents of families; 0 for not known
}

// families are the families of the documents of some indexes by one rule.
type families struct {
	field  string
	rule   signature.Rule
	stores []weak.Pointer[Store]

	mu      sync.RWMutex // guards all that follows; only the work beside searches changes it, but for looked and work
	looked  int          // documents that searches have compared without knowing families
	work    chan struct{}
	tables  bool      // there are tables of what newest has
	newest  []*column // of the snapshots that were covered last: any two of their documents are compared
	kin     *weakmap.Map[column, []Kin]
	parent  []uint32 // by number, of the union-find; none while families are not found
	cliques []bool   // by number that is a root
	ranked  int      // documents that got a Rank when that was last done
	joined  int      // documents that came into families since
	uniform Uniform
}

const (
	// share of its documents that searches of an index look at before families are found. To look at a document takes
	// about as long as to find its family, so no search pays for what later ones might not need.
	share = 8

	maxFamilies = 8 // fields, rules and lists of indexes whose families a Store keeps
)

// Find begins to find the families by rule beside searches.
func (readers Readers) Find(rule signature.Rule) {
	f := readers.families(rule)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begin(readers)
}

// Families returns the families by rule of n documents, with Clique where that is known, and Alone or Unreadable for
// those in none. at says of which Reader a document is, and its number there; documents come in the order of Readers
// and numbers. It returns nil as long as families are not known: then the caller compares the documents itself, and
// when searches have compared enough of them, families will be found. It waits for new documents to be looked up, if
// they are fewer than n. It panics without a Reader.
func (readers Readers) Families(ctx context.Context, rule signature.Rule, n int, at func(i int) (reader int, doc uint64)) []Kin {
	f := readers.families(rule)
	for range 2 { // the work that is going on might be for another snapshot
		work := f.follow(readers, n)
		if work == nil {
			break
		}
		select {
		case <-work:
		case <-ctx.Done():
			return nil
		}
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	if fresh, _ := f.fresh(readers); fresh > 0 || f.newest == nil || !f.uniform.Fits(f.rule) {
		return nil
	}
	of := make([]Kin, n)
	last, begin, end := -1, uint64(0), uint64(0)
	var kin []Kin // of the segment from begin to end of the last Reader
	for i := range of {
		reader, doc := at(i)
		if reader != last || doc >= end {
			r := readers[reader]
			k, n, _ := segmentOf(r.ends, doc)
			kin, _, _ = f.kin.Get(r.columns[k])
			last, begin, end = reader, doc-n, r.ends[k]
		}
		if of[i].Family = Unreadable; kin == nil {
			continue
		}
		of[i] = kin[doc-begin]
		if root := f.root(of[i].Family); f.cliques[root] {
			of[i].Family = root | Clique
		} else {
			of[i].Family = root
		}
	}
	return of
}

// families returns what is known by a rule. The Store of the first Reader keeps it, and the others learn of it.
func (readers Readers) families(rule signature.Rule) *families {
	own := &families{field: readers[0].field, rule: rule.Normal(), kin: new(weakmap.Map[column, []Kin])}
	for _, r := range readers {
		own.stores = append(own.stores, weak.Make(r.store))
	}
	for i, r := range readers {
		if f, there := r.store.familiesOf(own); there && i == 0 {
			return f
		}
	}
	return own
}

// familiesOf returns what s keeps of the field, rule and indexes of own, or keeps own.
func (s *Store) familiesOf(own *families) (f *families, there bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.families {
		if f.field == own.field && f.rule == own.rule && slices.Equal(f.stores, own.stores) {
			return f, true
		}
	}
	s.families = append(slices.Delete(s.families, 0, max(0, len(s.families)-maxFamilies+1)), own)
	return own, false
}

// fresh returns how many documents of snapshots are not compared with each other yet, and how many there are. The
// caller holds f.mu.
func (f *families) fresh(readers Readers) (fresh, all int) {
	for _, r := range readers {
		for _, c := range r.columns {
			if all += c.Len(); !c.blank && !slices.Contains(f.newest, c) {
				fresh += c.Len()
			}
		}
	}
	return fresh, all
}

// follow begins the work that snapshots take, beside searches, and returns what is closed at its end, if a search for n
// documents should wait for that.
func (f *families) follow(readers Readers, n int) (work chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fresh, all := f.fresh(readers)
	if fresh == 0 && f.newest != nil {
		return nil
	}
	found := f.parent != nil
	if !found {
		f.looked += n
	}
	if found || f.looked*share >= all {
		f.begin(readers)
	}
	if !found || !f.tables || fresh > n {
		return nil
	}
	return f.work
}

// begin does the work beside searches, with the snapshots kept open, until a Store is closed. Nothing happens if
// there is work already. The caller holds f.mu.
func (f *families) begin(readers Readers) {
	if f.work != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	var held []func()
	release := func() {
		cancel()
		for _, f := range held {
			f()
		}
	}
	for _, r := range readers {
		done, ok := r.hold(cancel)
		if !ok {
			release()
			return
		}
		held = append(held, done)
	}
	work := make(chan struct{})
	f.work = work
	go func() {
		defer release()
		defer close(work)
		_ = f.cover(ctx, readers) // else searches look themselves
		f.mu.Lock()
		defer f.mu.Unlock()
		f.work = nil
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
	all := slices.Clone(s.families)
	s.mu.Unlock()
	s.work.Wait()
	for _, f := range all { // other Stores might have them, too
		f.mu.Lock()
		f.newest, f.parent = nil, nil
		f.mu.Unlock()
	}
}

// survey is what snapshots have.
type survey struct {
	columns  []*column
	segments []*scorch.SegmentSnapshot
	kin      [][]Kin
	fresh    []int // columns that the newest cover does not have
	docs     int
	uniform  Uniform
}

// place is a document of a survey.
type place struct{ column, n int }

// cover makes families cover the snapshots.
func (f *families) cover(ctx context.Context, readers Readers) error {
	s, err := f.survey(ctx, readers)
	if err != nil {
		return err
	}
	fits, found := s.uniform.Fits(f.rule), f.parent != nil
	if fits && found {
		strangers := f.rename(s)
		// Numbers are never given back: those of families that are gone with their documents are got rid of by finding all
		// anew.
		if found = len(strangers)*share <= s.docs && len(f.parent) <= s.docs+share; found {
			err = f.meet(ctx, readers, s, strangers)
		}
	}
	if err == nil && fits && !found {
		err = f.find(ctx, s)
	}
	if err == nil && f.joined*share > f.ranked {
		err = f.rank(ctx, s)
	}
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.uniform, f.newest = s.uniform, s.columns
	for i, c := range s.columns {
		f.kin.Put(c, s.kin[i])
	}
	for i := range f.parent { // parents come first
		f.parent[i] = f.parent[f.parent[i]]
	}
	return nil
}

// survey looks at the documents of snapshots, and at how they are signed. It looks at deleted documents, too: older
// snapshots have them.
func (f *families) survey(ctx context.Context, readers Readers) (*survey, error) {
	s := &survey{columns: []*column{}, uniform: f.uniform} // columns are not nil: none at all are covered, too
	for _, r := range readers {
		if !r.store.makeDense(false, r.columns...) {
			return nil, errors.New("neardup: wanted places for all signatures, got too few")
		}
		for i, c := range r.columns {
			if c.blank {
				continue
			}
			kin, _, known := f.kin.Get(c)
			if !slices.Contains(f.newest, c) {
				if err := r.load(ctx, i, c.Column, nil); err != nil {
					return nil, err
				}
				for n := range kin { // no search looks at it now, and its ranks might be of old
					kin[n].Rank = 0
				}
				s.fresh = append(s.fresh, len(s.columns))
			}
			if !known {
				kin = make([]Kin, c.Len())
				for n := range kin {
					if sig, ok := c.At(n); ok {
						s.uniform.See(&sig)
					} else {
						kin[n].Family = Unreadable
					}
				}
			}
			s.columns, s.segments, s.kin, s.docs = append(s.columns, c), append(s.segments, r.segments[i]), append(s.kin, kin), s.docs+c.Len()
		}
	}
	return s, nil
}

// find finds the families anew.
func (f *families) find(ctx context.Context, s *survey) error {
	all := All{columns: make([]*table.Column, len(s.columns)), deleted: make([]*roaring.Bitmap, len(s.columns))}
	for i, c := range s.columns {
		all.columns[i], all.ends = c.Column, append(all.ends, all.Len()+c.Len())
	}
	roots, err := table.Connect(ctx, f.rule, all.Len(), all.At, nil, nil, nil)
	if err != nil {
		return err
	}
	parent := []uint32{Alone, Unreadable}
	of := make([]uint32, len(roots)) // the numbers of families, by their roots
	for doc, root := range roots {
		if uint32(doc) != root && of[root] == Alone {
			of[root] = uint32(len(parent))
			parent = append(parent, of[root])
		}
	}
	begin := 0
	for i, c := range s.columns {
		s.kin[i] = make([]Kin, c.Len())
		for n := range s.kin[i] {
			own := &s.kin[i][n].Family
			if *own = of[roots[begin+n]]; *own == Alone {
				if _, ok := c.At(n); !ok {
					*own = Unreadable
				}
			}
		}
		begin = all.ends[i]
	}
	cliques, err := f.findCliques(ctx, s, len(parent))
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.parent, f.cliques, f.kin, f.newest = parent, cliques, new(weakmap.Map[column, []Kin]), nil
	f.ranked, f.joined = 0, len(parent)
	return nil
}

// rank ranks the documents of families by their ids.
func (f *families) rank(ctx context.Context, s *survey) (err error) {
	defer Guard("ids", &err)
	type named struct {
		id  []byte // in the file
		kin *Kin
	}
	var all []named
	for i, own := range s.kin {
		for n := range own {
			if own[n].Family <= Unreadable {
				continue
			}
			id, err := s.segments[i].DocID(uint64(n))
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return err
			}
			all = append(all, named{id, &own[n]})
		}
	}
	slices.SortFunc(all, func(a, b named) int { return bytes.Compare(a.id, b.id) })
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ranked, f.joined = len(all), 0
	for i, one := range all {
		if one.kin.Rank = uint32(i + 1); i > 0 && bytes.Equal(one.id, all[i-1].id) {
			one.kin.Rank = all[i-1].kin.Rank
		}
	}
	return nil
}

// maxKinds is how many different texts a clique may have: each of its documents is compared with as many.
const maxKinds = 64

// findCliques says which of n families are cliques.
func (f *families) findCliques(ctx context.Context, s *survey, n int) ([]bool, error) {
	cliques := make([]bool, n)
	for family := Unreadable + 1; family < n; family++ {
		cliques[family] = true
	}
	kinds := make([][]place, n) // documents of the different texts of a family
	for i, c := range s.columns {
		for n, kin := range s.kin[i] {
			if cliques[kin.Family] {
				sig, _ := c.At(n)
				cliques[kin.Family] = f.meetsAll(s, &kinds[kin.Family], &sig, place{i, n})
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return cliques, nil
}

// meetsAll adds a document to kinds, unless one of its text is there, and reports whether it is a near-duplicate of
// all.
func (f *families) meetsAll(s *survey, kinds *[]place, sig *signature.Signature, at place) bool {
	for _, k := range *kinds {
		other, _ := s.columns[k.column].At(k.n)
		if other.Exact == sig.Exact {
			return true // those after k were compared with it
		}
		if !f.rule.Duplicates(sig, &other) {
			return false
		}
	}
	*kinds = append(*kinds, at)
	return len(*kinds) <= maxKinds
}

// rename gives the documents of fresh columns the families of documents of columns that are gone and have the same
// exact hash: these are the same documents, merged, or equal ones. It returns the documents that are left.
func (f *families) rename(s *survey) (strangers []place) {
	if len(s.fresh) == 0 {
		return nil
	}
	old := map[uint64]uint32{}
	for _, c := range f.newest {
		if slices.Contains(s.columns, c) {
			continue
		}
		kin, _, _ := f.kin.Get(c)
		for n := range kin {
			if sig, ok := c.At(n); ok {
				old[sig.Exact] = f.root(kin[n].Family)
			}
		}
	}
	for _, k := range s.fresh {
		for n := range s.kin[k] {
			sig, ok := s.columns[k].At(n)
			if !ok {
				continue
			}
			number, known := old[sig.Exact]
			switch {
			case !known:
				strangers = append(strangers, place{k, n})
			case number == Alone:
				delete(old, sig.Exact) // an equal one would not be alone
			default:
				f.join(&s.kin[k][n].Family, &number, true)
			}
		}
	}
	return strangers
}

// meet joins strangers with their near-duplicates.
func (f *families) meet(ctx context.Context, readers Readers, s *survey, strangers []place) error {
	if len(s.fresh) == 0 {
		return nil
	}
	var tables []*table.Frozen // of the columns
	for _, r := range readers {
		l, err := r.lookup(ctx, asked{f.rule.Normal(), table.Plan{}, "", false}, true)
		if err != nil {
			return err
		}
		for i, c := range r.columns {
			if !c.blank {
				tables = append(tables, l.tables[i])
			}
		}
	}
	var p table.Probe
	var near []place
	for _, one := range strangers {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		own := &s.kin[one.column][one.n].Family
		sig, _ := s.columns[one.column].At(one.n)
		p.Prepare(f.rule, table.Plan{}, &sig, 0)
		near = near[:0]
		table.Near(tables, &p, func(column, n int) bool {
			switch that, _ := s.columns[column].At(n); {
			case place{column, n} == one:
			case that.Exact == sig.Exact: // first, so that a clique stays one
				f.join(own, &s.kin[column][n].Family, true)
			default:
				near = append(near, place{column, n})
			}
			return true
		})
		for _, other := range near {
			f.join(own, &s.kin[other.column][other.n].Family, false)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tables = true
	return nil
}

// root returns the number that stands for a family, given one of its numbers.
func (f *families) root(number uint32) uint32 {
	for f.parent[number] != number {
		number = f.parent[number]
	}
	return number
}

// join joins the families of two near-duplicates, given where their numbers stand. equal says that they have the same
// text.
func (f *families) join(a, b *uint32, equal bool) {
	if *a != Alone && f.root(*a) == f.root(*b) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.joined++
	if *a == Alone && *b == Alone {
		*b = uint32(len(f.parent))
		f.parent, f.cliques = append(f.parent, *b), append(f.cliques, true)
		*a, equal = *b, true
	}
	switch {
	case *a == Alone:
		*a = *b
	case *b == Alone:
		*b = *a
	default:
		x, y := f.root(*a), f.root(*b)
		f.parent[max(x, y)] = min(x, y)
		equal = false // two cliques together need be none
	}
	if !equal {
		f.cliques[f.root(*a)] = false
	}
}

// Uniform says whether signatures were made with the same parameters. If not, which are foreign depends on the rank of
// all.
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
