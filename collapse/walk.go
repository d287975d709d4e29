package collapse

import (
	"errors"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

// walk takes hits in rank order and sorts them into groups.
type walk struct {
	options Options // with defaults filled in
	rule    signature.Rule
	read    func(*search.DocumentMatch) (*signature.Signature, error)

	heads  []head
	table  *table.Table // of the signatures of the heads from base on
	base   int
	near   *near   // the same, in place of the table if not nil
	groups []Group // of the heads
	bare   int     // the head of the group of hits without a signature, or -1

	hits   search.DocumentMatchCollection // the visible ones
	before int                            // visible hits on the pages before, which hits has not
	apart  search.DocumentMatchCollection // the hidden ones

	err      error  // the rule asks for what no sketch can have
	first    uint32 // Params of the first signature met
	signed   bool   // there was one
	unsigned int
	foreign  int
	others   map[string]int // the foreign ones by index
	damaged  []Damage
}

// head is the first hit of a group.
type head struct {
	ref   Ref
	hit   *search.DocumentMatch // nil on a page before
	sig   *signature.Signature  // none if it has no readable one
	shown int                   // visible hits of the group
	at    int                   // among all visible hits; -1 on a page before
}

// none is the signature of no text, which matches nothing.
var none = new(signature.Signature)

func newWalk(o Options) (*walk, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	return &walk{options: o, rule: o.Rule, table: table.New(o.Rule), bare: -1}, nil
}

// take adds the next hit: to the group of the first head it matches, or as a head
// itself. If it would be visible and there is no room, take does nothing and
// returns false.
func (w *walk) take(hit *search.DocumentMatch, room bool) bool {
	sig, err := w.read(hit)
	unsigned, at := errors.Is(err, errUnsigned), -1
	switch {
	case unsigned && w.options.Missing == DropMissing:
		w.unsigned++
		return true
	case unsigned && w.options.Missing == GroupMissing:
		at = w.bare
	case err == nil:
		at = w.headOf(sig)
	}
	visible := at < 0 || w.heads[at].shown < w.options.Visible
	if visible && !room {
		return false
	}
	w.note(hit, sig, err)
	if err != nil {
		sig = none
	}
	if at < 0 {
		if unsigned && w.options.Missing == GroupMissing {
			w.bare = len(w.heads)
		}
		w.add(head{ref: refOf(hit), hit: hit, sig: sig, shown: 1, at: w.before + len(w.hits)})
	} else {
		match, _ := w.rule.Match(w.heads[at].sig, sig)
		g := &w.groups[at]
		g.Members = append(g.Members, Member{
			Ref: refOf(hit), Score: hit.Score, Match: match, Visible: visible, Hit: hit, sig: sig, at: w.before + len(w.hits),
		})
	}
	if !visible {
		w.apart = append(w.apart, hit)
		return true
	}
	if at >= 0 {
		w.heads[at].shown++
	}
	w.hits = append(w.hits, hit)
	return true
}

// begin starts a family of n hits: no other hit is near one of those.
func (w *walk) begin(n int) {
	w.base = len(w.heads)
	w.table.Reset()
	w.table.Reserve(n)
}

// headOf returns the first head that sig matches, or -1.
func (w *walk) headOf(sig *signature.Signature) int {
	if w.near != nil {
		return w.near.First(sig)
	}
	at := w.table.First(sig)
	if at >= 0 {
		at += w.base
	}
	return at
}

// reserve makes room for n visible hits. Without heads so far, it takes what is best
// for as many.
func (w *walk) reserve(n int) {
	if len(w.heads) == 0 {
		w.near = newNear(w.rule, n)
	}
	const most = 1000 // no larger pages are expected
	n = min(n, most)
	if w.near == nil {
		w.table.Reserve(n)
	}
	w.heads = slices.Grow(w.heads, n)
	w.groups = slices.Grow(w.groups, n)
	w.hits = slices.Grow(w.hits, n)
}

// release gives memory back.
func (w *walk) release() {
	if w.near != nil {
		w.near.release()
		w.near = nil
	}
}

// add makes h the last head.
func (w *walk) add(h head) {
	if w.near != nil && len(w.heads) == mostNear { // on the way to a page far behind
		w.release()
		for _, earlier := range w.heads {
			w.table.Add(earlier.sig)
		}
	}
	w.heads = append(w.heads, h)
	if w.near != nil {
		w.near.Add(h.sig)
	} else {
		w.table.Add(h.sig)
	}
	w.groups = append(w.groups, Group{Head: h.ref})
}

// note keeps count of hits whose signature cannot be used.
func (w *walk) note(hit *search.DocumentMatch, sig *signature.Signature, err error) {
	switch {
	case errors.Is(err, errUnsigned):
		w.unsigned++
		return
	case err != nil:
		w.damaged = append(w.damaged, Damage{Ref: refOf(hit), Reason: err.Error(), Err: err})
		return
	}
	if !w.signed {
		w.signed, w.first = true, sig.Params
	}
	if sig.Params != w.first {
		w.foreign++
		if w.others == nil {
			w.others = make(map[string]int)
		}
		w.others[hit.Index]++
	}
	if w.err == nil && sig.Lanes > 0 && sig.Lanes < w.rule.Lanes {
		w.err = fmt.Errorf("collapse: rule: lanes: wanted 0 to %d, as many as the sketch of %q has, got %d", sig.Lanes, hit.ID, w.rule.Lanes)
	}
}

// result returns the groups whose head is at the given place or behind among the
// visible hits, and those before it with the members that the page met; page has its
// hits.
func (w *walk) result(from int, page search.DocumentMatchCollection) *Result {
	r := &Result{
		Groups:   make([]Group, 0, len(w.groups)),
		Hidden:   len(w.apart),
		Unsigned: w.unsigned,
		Foreign:  w.foreign,
		Damaged:  w.damaged,
	}
	met := w.met(from, page)
	for i, g := range w.groups {
		if w.heads[i].at >= from {
			w.overlap(i)
			r.Groups = append(r.Groups, g)
		} else if first := slices.IndexFunc(g.Members, met); first >= 0 {
			w.overlap(i)
			if g.Members = g.Members[first:]; w.options.Mode == Demote {
				g.Members = slices.DeleteFunc(slices.Clone(g.Members), func(m Member) bool { return !met(m) })
			}
			r.Earlier = append(r.Earlier, g)
		}
	}
	return r
}

// met returns a function that tells whether a page met a member: as it took what comes
// behind its first hit. What is hidden before that the page before met; only behind a
// cursor is it new. In mode Demote a page meets again what it shows.
func (w *walk) met(from int, page search.DocumentMatchCollection) func(Member) bool {
	var shown map[*search.DocumentMatch]bool
	if w.options.Mode == Demote {
		shown = make(map[*search.DocumentMatch]bool, len(page))
		for _, hit := range page {
			shown[hit] = true
		}
	}
	return func(m Member) bool {
		return from == w.before || m.at > from || m.at == from && m.Visible || shown[m.Hit]
	}
}

// overlap estimates the overlap of a head with its members.
func (w *walk) overlap(head int) {
	members, of := w.groups[head].Members, w.heads[head].sig
	if len(members) == 0 {
		return
	}
	all := make([]Overlap, len(members))
	for i := range members {
		m, o := &members[i], &all[i]
		r, ok := signature.Resemblance(m.sig, of)
		if !ok {
			continue
		}
		if *o = (Overlap{r, r, r}); m.sig.Exact != of.Exact {
			o.InHead, o.OfHead = r.Containment(m.sig.Shingles, of.Shingles)
		}
		m.Overlap = o
	}
}

// page returns the hits to show from the given place on.
func (w *walk) page(from int) search.DocumentMatchCollection {
	hits := w.hits
	if w.options.Mode == Demote {
		hits = slices.Concat(hits, w.apart)
	}
	return append(search.DocumentMatchCollection{}, hits[min(from-w.before, len(hits)):]...)
}

// Hits collapses hits, which are in rank order and carry the stored field
// signature.SketchField(o.Field) in their Fields. It returns the hits to show, and
// the groups in the order of their heads. Of o it does not use AllowUnsigned, Budget, Cursor,
// InnerHits and Explain. Hits do not tell whether a field is misspelled, or was left out of
// the request's Fields: all are then shown as hits without a signature. The error tells of an invalid option, or of a rule that asks
// for more lanes than a sketch has.
func Hits(hits search.DocumentMatchCollection, o Options) (search.DocumentMatchCollection, []Group, error) {
	w, err := newWalk(o)
	if err != nil {
		return nil, nil, err
	}
	if w.options.Mode == Off {
		return hits, nil, nil
	}
	w.read = (&stored{field: signature.SketchField(w.options.Field)}).read
	for i, hit := range hits {
		if hit == nil {
			return nil, nil, fmt.Errorf("collapse: wanted hits, got nil in place %d", i)
		}
		w.take(hit, true)
	}
	if w.err != nil {
		return nil, nil, w.err
	}
	for i := range w.groups {
		w.overlap(i)
	}
	return w.page(0), slices.Clip(w.groups), nil
}
