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
	"github.com/neardup/bleve-neardup/internal/fields"
)

// The components of the whole are found first, also for leaders: a document within the
// rule of a leader is in its component. Each component then is brought in order by
// itself, which needs the ids of its documents and of no other, and walked.

// lister is one iteration.
type lister struct {
	ctx      context.Context
	field    string
	by       By
	within   fields.Options
	order    search.SortOrder
	least    int // documents in a group
	progress func(done, total int)
	yield    func(Group) bool

	pairs
	rule           signature.Rule // by which pairs are looked up
	done, reported int            // documents, of three times as many as there are
}

func (l *lister) run() error {
	defer trace.StartRegion(l.ctx, "near.Groups").End()
	n := l.size()
	l.advance(0)
	var err error
	if l.all, err = l.signatures.All(l.ctx, l.advance); err != nil {
		return err
	}
	var scopes []uint64
	if len(l.within.Within) > 0 {
		if scopes, err = l.scopes(l.ctx, l.within); err != nil {
			return err
		}
	}
	l.rule = l.proposes()
	of, err := table.Connect(l.ctx, l.rule, n, l.all.At, scopes, l.confirm(), func(part float64) {
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
	if l.progress != nil && (l.done == 0 || l.done == total || l.done-l.reported >= total/300) {
		l.reported = l.done
		l.progress(l.done, total)
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
		if _, ok := l.all.At(root); ok && int(size) >= l.least {
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
	}
	slices.SortFunc(all, compareComponents)
	return all, docs, l.sortTies(all, docs)
}

func compareComponents(a, b component) int {
	return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.exact, b.exact))
}

// sortTies brings components of the same size with the same text, which come from
// different scopes, in the order of their least ids.
func (l *lister) sortTies(all []component, docs []uint32) error {
	for begin := 0; begin < len(all); {
		end := begin + 1
		for end < len(all) && compareComponents(all[begin], all[end]) == 0 {
			end++
		}
		if ties := all[begin:end]; len(ties) > 1 {
			least := make(map[uint32]Document, len(ties))
			for _, c := range ties {
				for i, doc := range docs[c.begin : c.begin+c.size] {
					d, err := l.name(int(doc))
					if err == nil && i%1024 == 0 {
						err = l.ctx.Err()
					}
					if err != nil {
						return err
					}
					if i == 0 || compareNames(d, least[c.begin]) < 0 {
						least[c.begin] = d
					}
				}
			}
			slices.SortFunc(ties, func(a, b component) int { return compareNames(least[a.begin], least[b.begin]) })
		}
		begin = end
	}
	return nil
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
	groups := [][]int32{nil}
	if l.by == Components {
		for i := range all {
			groups[0] = append(groups[0], int32(i))
		}
	} else if groups, err = l.leaders(all); err != nil {
		return err
	}
	for _, own := range groups {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		if len(own) >= l.least && !l.yield(l.group(all, own)) {
			return errStopped
		}
	}
	return nil
}

// entries reads the documents of one component, in order.
func (l *lister) entries(docs []uint32) ([]entry, error) {
	all := make([]entry, len(docs))
	for i, doc := range docs {
		e := &all[i]
		e.doc = int(doc)
		var err error
		if e.Document, err = l.name(int(doc)); err == nil && len(l.order) > 0 {
			e.key, err = l.sortKey(int(doc), e.ID, l.order)
		}
		if err == nil && i%1024 == 0 {
			err = l.ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		e.sig, _ = l.all.At(int(doc))
		e.Tokens = e.sig.Tokens
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

// leaders returns the positions of what is in each group, its leader first.
func (l *lister) leaders(all []entry) (groups [][]int32, err error) {
	signatures := make([]signature.Signature, len(all))
	for i := range all {
		signatures[i] = all[i].sig
	}
	confirm := l.confirm()
	if own := confirm; own != nil {
		confirm = func(leader, i int) bool { return own(all[leader].doc, all[i].doc) }
	}
	of, err := table.Leaders(l.ctx, l.rule, signatures, confirm)
	if err != nil {
		return nil, err
	}
	at := make([]int, len(all)) // of a leader in groups
	for i, leader := range of {
		if leader == i {
			at[i] = len(groups)
			groups = append(groups, nil)
		}
		own := &groups[at[leader]]
		*own = append(*own, int32(i))
	}
	return groups, nil
}

// group returns the Group of some documents, of which the first is the head.
func (l *lister) group(all []entry, own []int32) Group {
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
