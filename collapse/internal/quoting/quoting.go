// Package quoting folds hits by what they contain: a Reader finds the heads that stand in a hit, or in which the hit
// stands, whole or by a share. It reads snapshots of local indexes.
package quoting

import (
	"cmp"
	"context"
	"slices"

	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse/internal/grouping"
	"github.com/neardup/bleve-neardup/internal/contain"
	"github.com/neardup/bleve-neardup/internal/crowd"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Reader implements grouping.Quotes. It is not safe for concurrent use.
type Reader struct {
	ctx    context.Context
	share  float64
	leaves []leaf
	locate Locate

	heads []head // since Begin, in the order of their groups
	holds map[key][]int
	told  struct{ passed, templates int } // fingerprints of hits that were not followed
	last  *text                           // that was asked for last
	pair  pair                            // that was compared last
	err   error
}

// Locate says in which of the snapshots a hit is, and the number that its document has there; false if in none.
type Locate func(hit *stored.Hit) (in int, doc uint64, ok bool)

// leaf is the snapshot of one index.
type leaf struct {
	*contain.Snapshot
	most      int  // documents that may hold a fingerprint that is followed
	templates bool // something is left out of signatures
}

// key is a selected fingerprint of a head, and the scope of that; a hit of another scope cannot be of its group.
type key struct {
	value uint64
	scope uint32
}

// text is what is known of a hit. Its text is read when it is compared.
type text struct {
	of *search.DocumentMatch
	*contain.Text
	*leaf // nil if it has no passages
	doc   uint64
	hit   stored.Hit
	known bool // the text was read, if it is stored
	left  bool // it is known what a template leaves out
}

type head struct {
	group int
	of    *search.DocumentMatch
	*leaf
	doc uint64
}

// pair is what was found out of a head and a hit.
type pair struct {
	head, hit *search.DocumentMatch
	shares    contain.Shares
	ok        bool
}

// keptTexts is how many bytes of texts are kept, of all indexes.
const keptTexts = 64 << 20

// New returns a Reader of snapshots, which the caller keeps open. The error is of snapshots that cannot be compared.
func New(ctx context.Context, share float64, all []*contain.Snapshot, locate Locate) (*Reader, error) {
	r := &Reader{ctx: ctx, share: share, locate: locate, holds: map[key][]int{}}
	for _, s := range all {
		s.Least = max(s.Least, all[0].Least)
		if err := all[0].Fits(s); err != nil {
			return nil, err
		}
		s.Keep(keptTexts / len(all))
		r.leaves = append(r.leaves, leaf{s, crowd.Most(crowd.MaxShare, s.Documents), s.Templates()})
	}
	return r, nil
}

// Err returns what went wrong while hits were compared.
func (r *Reader) Err() error { return r.err }

// Told returns how many fingerprints of hits were not followed: since too many documents hold them, and since they stand in a
// template alone.
func (r *Reader) Told() (passed, templates int) { return r.told.passed, r.told.templates }

// Forget begins to count anew what is told.
func (r *Reader) Forget() { r.told.passed, r.told.templates = 0, 0 }

// Begin implements grouping.Quotes.
func (r *Reader) Begin() {
	r.heads = r.heads[:0]
	clear(r.holds)
}

// textOf returns what is selected of a hit.
func (r *Reader) textOf(hit *stored.Hit) *text {
	if r.last != nil && r.last.of == hit.DocumentMatch {
		return r.last
	}
	t := &text{of: hit.DocumentMatch, hit: *hit}
	if in, doc, ok := r.locate(hit); ok {
		if own, ok := r.leaves[in].Selected(doc); ok {
			t.leaf, t.doc, t.Text = &r.leaves[in], doc, own
		}
	}
	r.last = t
	return t
}

// Selected returns what is selected of a document of a snapshot.
func (r *Reader) Selected(in int, doc uint64) []uint64 {
	t, _ := r.leaves[in].Selected(doc)
	return t.Prints.Values
}

// know reads the text.
func (t *text) know() error {
	if t.known {
		return nil
	}
	t.known = true
	return t.Know(t.Text, t.doc, t.hit.Signature)
}

// inTemplate reports whether a fingerprint stands in the document's template alone.
func (t *text) inTemplate(value uint64) (bool, error) {
	if !t.templates {
		return false, nil
	}
	if !t.left {
		t.left = true
		if err := t.know(); err != nil {
			return false, err
		}
		if err := t.Without(t.Text, t.Left(t.doc, t.hit.Signature)); err != nil {
			return false, err
		}
	}
	return t.InTemplate(value), nil
}

// follows reports whether a fingerprint is looked up: whether it stands outside of the template, and not too many documents of an
// index hold it.
func (r *Reader) follows(t *text, value uint64) bool {
	only, err := t.inTemplate(value)
	if err != nil {
		r.fail(err)
		return false
	}
	if only {
		r.told.templates++
		return false
	}
	for i := range r.leaves {
		l := &r.leaves[i]
		n, err := l.Held(r.ctx, t.Prints.Params, value)
		if err != nil {
			r.fail(err)
			return false
		}
		if n > l.most {
			r.told.passed++
			return false
		}
	}
	return true
}

func (r *Reader) fail(err error) { r.err = cmp.Or(r.err, err) }

// Add implements grouping.Quotes.
func (r *Reader) Add(hit *stored.Hit, group int) {
	if hit.DocumentMatch == nil {
		return
	}
	t := r.textOf(hit)
	if t.leaf == nil {
		return
	}
	for _, value := range t.Prints.Values {
		k := key{value, hit.Scope}
		r.holds[k] = append(r.holds[k], len(r.heads))
	}
	r.heads = append(r.heads, head{group, hit.DocumentMatch, t.leaf, t.doc})
	t.Remember(t.Text, t.doc)
}

// First implements grouping.Quotes.
func (r *Reader) First(hit *stored.Hit) int {
	t := r.textOf(hit)
	if t.leaf == nil {
		return -1
	}
	var met []int
	for _, value := range t.Prints.Values {
		if of := r.holds[key{value, hit.Scope}]; len(of) > 0 && r.err == nil && r.follows(t, value) {
			met = append(met, of...)
		}
	}
	slices.Sort(met)
	for _, at := range slices.Compact(met) {
		if err := cmp.Or(r.err, r.ctx.Err()); err != nil {
			r.err = err
			return -1
		}
		if _, ok := r.compared(&r.heads[at], t); ok {
			return r.heads[at].group
		}
	}
	return -1
}

// Compare implements grouping.Quotes.
func (r *Reader) Compare(of, hit *stored.Hit) (s contain.Shares) {
	if r.err != nil || of.DocumentMatch == nil {
		return s
	}
	t := r.textOf(hit)
	if in, doc, ok := r.locate(of); ok && t.leaf != nil {
		s, _ = r.compared(&head{of: of.DocumentMatch, leaf: &r.leaves[in], doc: doc}, t)
	}
	return s
}

// compared compares a hit with a head. ok is false if too little of each stands in the other for one group.
func (r *Reader) compared(h *head, t *text) (s contain.Shares, ok bool) {
	if r.pair.head == h.of && r.pair.hit == t.of {
		return r.pair.shares, r.pair.ok
	}
	err := t.know()
	if err == nil {
		s, ok, err = h.Snapshot.Compare(t.Text, h.doc)
	}
	if err != nil {
		r.fail(err)
		return s, false
	}
	r.pair = pair{h.of, t.of, s, ok && max(s.InOther.Value, s.OfOther.Value) >= r.share}
	return s, r.pair.ok
}

// Containing returns the hits that groups are to show, which contain the text at whose rank the group stands: the longest of these,
// and of equally long ones the first in rank order. A group without one shows its own.
func (r *Reader) Containing(groups []grouping.Group) (hits search.DocumentMatchCollection) {
	for i := range groups {
		g := &groups[i]
		best, tokens := -1, uint64(0)
		if g.Head.Signature != nil {
			tokens = g.Head.Signature.Tokens
		}
		for n := range g.Members {
			m := g.Members[n]
			if m.Contains != nil && m.Contains.OfOther.Value >= r.share && m.Signature.Tokens > tokens {
				best, tokens = n, m.Signature.Tokens
			}
		}
		if best >= 0 {
			hits = append(hits, g.Members[best].DocumentMatch)
		}
	}
	return hits
}
