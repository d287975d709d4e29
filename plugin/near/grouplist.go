package near

import (
	"cmp"
	"context"
	"math"
	"runtime/trace"
	"slices"

	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// The components of the whole are found first, also for leaders: a document within the
// rule of a leader is in its component. Each component then is brought in order by
// itself, which needs the ids of its documents and of no other, and walked.

// lister is one iteration.
type lister struct {
	ctx context.Context
	GroupsOptions
	*view
	order search.SortOrder
	keys  map[uint32][]string // by which documents of components are ordered; nil without an order
	yield func(Group) bool

	judge    verify.Judge
	proposed signature.Rule // by which pairs are looked up
	texts    verify.Cache[int]
	failed   map[[2]uint32]struct{} // pairs that are proposed and not confirmed

	done, reported int // documents, of three times as many as there are
}

func (l *lister) run() (err error) {
	defer trace.StartRegion(l.ctx, "near.Groups").End()
	n := l.size()
	l.advance(0)
	if l.all, err = l.signatures.All(l.ctx, l.advance); err != nil {
		return err
	}
	var scopes []uint64
	if len(l.Within) > 0 {
		if scopes, err = l.scopes(l.ctx, l.Within); err != nil {
			return err
		}
	}
	l.proposed = l.proposes()
	of, err := table.Connect(l.ctx, l.proposed, n, l.all.At, scopes, l.confirm(), func(part float64) {
		l.advance(n + int(part*float64(n)) - l.done)
	})
	if err != nil {
		return err
	}
	components, docs, err := l.components(of)
	if err != nil {
		return err
	}
	l.advance(2*n + n - len(docs) - l.done) // what is in no component that is listed
	for _, c := range components {
		if err := l.list(docs[c.begin : c.begin+c.size]); err != nil {
			return err
		}
		l.advance(int(c.size))
	}
	return nil
}

// advance adds to what is done, and reports it from time to time.
func (l *lister) advance(documents int) {
	l.done += documents
	total := 3 * l.size()
	if l.Progress != nil && (l.done == 0 || l.done == total || l.done-l.reported >= total/300) {
		l.reported = l.done
		l.Progress(l.done, total)
	}
}

// component is where the documents of one component stand.
type component struct {
	begin, size uint32
	exact       uint64 // the least of its exact hashes
}

// components returns the components that are large enough, in the order in which they
// are listed, and their documents. of has a document of the same component for each.
func (l *lister) components(of []uint32) (all []component, docs []uint32, err error) {
	at := make([]uint32, len(of)) // sizes; then positions in all, from 1
	for _, root := range of {
		at[root]++
	}
	end := uint32(0)
	for root, size := range at {
		at[root] = 0
		if _, ok := l.all.At(root); ok && int(size) >= l.MinSize {
			all = append(all, component{begin: end, exact: math.MaxUint64})
			at[root] = uint32(len(all))
			end += size
		}
	}
	docs = make([]uint32, end)
	for doc, root := range of {
		if at[root] == 0 {
			continue
		}
		c := &all[at[root]-1]
		docs[c.begin+c.size] = uint32(doc)
		c.size++
		s, _ := l.all.At(doc)
		c.exact = min(c.exact, s.Exact)
		if l.keys != nil {
			l.keys[uint32(doc)], err = l.sortKey(doc, l.order)
		}
		if err = cmp.Or(err, l.ctx.Err()); err != nil {
			return nil, nil, err
		}
	}
	least := map[component]Document{} // by ids: of components that only these tell apart, as in different scopes
	slices.SortFunc(all, func(a, b component) int {
		if c := cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.exact, b.exact)); c != 0 || err != nil {
			return c
		}
		for _, c := range []component{a, b} {
			if _, ok := least[c]; !ok && err == nil {
				least[c], err = l.least(docs[c.begin : c.begin+c.size])
			}
		}
		return compareNames(least[a], least[b])
	})
	return all, docs, err
}

// least returns the document of the least id.
func (l *lister) least(docs []uint32) (least Document, err error) {
	for i, doc := range docs {
		d, err := l.name(int(doc))
		if err = cmp.Or(err, l.ctx.Err()); err != nil {
			return least, err
		}
		if i == 0 || compareNames(d, least) < 0 {
			least = d
		}
	}
	return least, nil
}

func compareNames(a, b Document) int {
	return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Index, b.Index))
}

// entry is a document of the component in work.
type entry struct {
	Document
	doc int
	sig signature.Signature
	key *search.DocumentMatch // nil without an order
}

// list yields the groups of one component.
func (l *lister) list(docs []uint32) error {
	all, err := l.entries(docs)
	if err != nil {
		return err
	}
	leaders := make([]int, len(all)) // the first leads a component
	if l.By == Leaders {
		if leaders, err = l.leaders(all); err != nil {
			return err
		}
	}
	for _, own := range table.ByLeader(leaders) {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		if len(own) >= l.MinSize && !l.yield(l.group(all, own)) {
			return errStopped
		}
	}
	return nil
}

// entries reads the documents of one component, in order.
func (l *lister) entries(docs []uint32) (all []entry, err error) {
	all = make([]entry, len(docs))
	for i, doc := range docs {
		e := &all[i]
		e.Document, err = l.name(int(doc))
		if err = cmp.Or(err, l.ctx.Err()); err != nil {
			return nil, err
		}
		if l.keys != nil {
			e.key = &search.DocumentMatch{Sort: l.keys[doc]}
		}
		e.sig, _ = l.all.At(int(doc))
		e.doc, e.Tokens = int(doc), e.sig.Tokens
	}
	scoring, desc := l.order.CacheIsScore(), l.order.CacheDescending()
	slices.SortFunc(all, func(a, b entry) int {
		if len(l.order) > 0 {
			if c := l.order.Compare(scoring, desc, a.key, b.key); c != 0 {
				return c
			}
		}
		return cmp.Or(cmp.Compare(b.Tokens, a.Tokens), compareNames(a.Document, b.Document))
	})
	return all, nil
}

// leaders is table.Leaders.
func (l *lister) leaders(all []entry) ([]int, error) {
	signatures := make([]signature.Signature, len(all))
	for i := range all {
		signatures[i] = all[i].sig
	}
	confirm := l.confirm()
	if own := confirm; own != nil {
		confirm = func(leader, i int) bool { return own(all[leader].doc, all[i].doc) }
	}
	return table.Leaders(l.ctx, l.proposed, signatures, confirm)
}

// group returns the Group of some documents, of which the first is the head.
func (l *lister) group(all []entry, own []int) Group {
	head := &all[own[0]]
	g := Group{Head: head.Document, Members: make([]Member, 0, len(own)-1)}
	for _, i := range own[1:] {
		m := Member{Document: all[i].Document}
		v, ok := l.compare(head.doc, all[i].doc, &head.sig, &all[i].sig)
		if m.Match, m.Verified = v.Match, v.Verified; !ok {
			m.By = 0
		}
		r, _ := head.sig.Resemblance(&all[i].sig)
		if m.Verified {
			r = v.Resemblance()
		}
		m.Resemblance = r.Value
		g.Members = append(g.Members, m)
	}
	return g
}

// mostFailed is how many pairs are kept that were not confirmed: 40 MB.
const mostFailed = 1 << 20

// proposes returns the rule by which pairs are looked up. It is the rule for the sketches with the fewest
// lanes, by which pairs of others are proposed as well.
func (l *lister) proposes() signature.Rule {
	if !l.judge.Verify.On() {
		return l.judge.Rule
	}
	lanes := 0
	for doc := range l.size() {
		if s, ok := l.all.At(doc); ok && s.Lanes > 0 {
			lanes = min(cmp.Or(lanes, s.Lanes), s.Lanes)
		}
	}
	return l.judge.Proposes(lanes)
}

// confirm returns what says whether two documents match that are proposed; nil if all do.
func (l *lister) confirm() func(i, j int) bool {
	if !l.judge.Verify.On() {
		return nil
	}
	return func(i, j int) bool {
		key := [2]uint32{uint32(min(i, j)), uint32(max(i, j))}
		if _, ok := l.failed[key]; ok {
			return false
		}
		a, _ := l.all.At(i)
		b, _ := l.all.At(j)
		_, ok := l.compare(i, j, &a, &b)
		if !ok {
			if l.failed == nil || len(l.failed) == mostFailed {
				l.failed = map[[2]uint32]struct{}{}
			}
			l.failed[key] = struct{}{}
		}
		return ok
	}
}

// compare judges two documents with the signatures a and b.
func (l *lister) compare(i, j int, a, b *signature.Signature) (verify.Finding, bool) {
	return l.judge.Pair(a, b, func() *verify.Text { return l.text(i, a) }, func() *verify.Text { return l.text(j, b) })
}

// text returns the text of a document with the signature sig.
func (l *lister) text(doc int, sig *signature.Signature) *verify.Text {
	return l.texts.Text(doc, func() *verify.Text {
		s, n := l.of(doc)
		return s.texts.Text(uint64(n), sig)
	})
}
