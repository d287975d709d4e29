// Package grouping puts hits into groups: a Walk takes them in rank order, each with its
// signatures and the numbers of its values (package fields). A hit becomes a Member in the Group
// of the first head that it is a near-duplicate of, or that has its key, or else a head itself.
package grouping

import (
	"errors"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/internal/heads"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/parts"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Options says how hits are grouped.
type Options struct {
	// Signed are the fingerprinted fields, one or more. Hits are near-duplicates if they are in all of them, or with Any in one.
	Signed []parts.Field
	Any    bool

	// Judges decide, by field, of a head and a hit that the rule of the field proposes; nil if the rules decide.
	Judges []Judge

	Fields  fields.Options // the values that hits are grouped by
	Visible int            // how many hits of each group are shown

	// Of hits without a signature, Drop shows and lists none, and Together makes one group. Otherwise each is a head.
	Drop, Together bool
}

// Walk takes hits in rank order and groups them.
type Walk struct {
	Options

	Groups []Group                        // in the order of their heads
	Hits   search.DocumentMatchCollection // the visible ones, without the hits of pages before
	Before int                            // visible hits on the pages before
	Hidden search.DocumentMatchCollection

	Unsigned int            // hits met without a signature
	Keyless  int            // hits met without a key, where that decides alone
	Rejected int            // matches that the caller does not keep, where all were asked for
	Damaged  []stored.Hit   // hits met whose signature cannot be read
	Foreign  map[string]int // hits met whose signature has other parameters than the first, by index

	heads heads.Heads
	most  int             // visible hits that room is made for
	known map[string]bool // the texts of heads that Recall was given
	room  []Member        // for members to come
	first []int64         // by field, the parameters of the first signature that was met; -1 before
	err   error           // the rule asks for what no sketch can have
}

// Group is a head with its members, in rank order.
type Group struct {
	Head    stored.Hit // without a DocumentMatch if a cursor named it and it is gone
	Shown   int        // visible hits of the group
	At      int        // the head's place among all visible hits; -1 on a page before
	Members []*Member

	// Stands is the hit at whose rank the group stands, if it was made to show another; then it is the first member.
	Stands *search.DocumentMatch
}

// Member is a hit that is a near-duplicate of a head.
type Member struct {
	stored.Hit
	Compared
	Field   int        // that Compared is of
	Several []Compared // by field, if there are several
	Key     bool       // it has the key of the head
	Visible bool
	At      int // how many visible hits came before it
}

// none is the signature of no text, which matches nothing.
var none = new(signature.Signature)

// New returns a Walk that has taken nothing.
func New(o Options) *Walk {
	return &Walk{Options: o, heads: heads.New(o.Fields, o.Signed), first: slices.Repeat([]int64{-1}, len(o.Signed))}
}

// Err returns an error if the rule asks for more lanes than a sketch that was met has.
func (w *Walk) Err() error { return w.err }

// Shown is how many visible hits there are, with the hits of the pages before.
func (w *Walk) Shown() int { return w.Before + len(w.Hits) }

// Take adds the next hit, of which it keeps a copy: to the group of the first head that it matches, or as a head itself.
// If it would be visible and there is no room, Take does nothing and returns false.
func (w *Walk) Take(met *stored.Hit, room bool) bool {
	hit := w.settled(met)
	missing := w.lacks(hit)
	if missing && w.Drop {
		w.count(met, true)
		return true
	}
	at := w.headOf(hit, missing)
	visible := at < 0 || w.Groups[at].Shown < w.Visible
	if visible && !room {
		return false
	}
	w.count(met, missing)
	if at < 0 {
		w.addGroup(Group{Head: *hit, Shown: 1, At: w.Shown()}, missing)
	} else {
		w.addMember(&w.Groups[at], hit, visible)
	}
	if visible {
		w.Hits = append(w.Hits, hit.DocumentMatch)
	} else {
		w.Hidden = append(w.Hidden, hit.DocumentMatch)
	}
	return true
}

// Join adds a hit, which ranks after all that were taken, to the group that it belongs to, if the At of
// that is from or more. The hit does not count as taken.
func (w *Walk) Join(hit *stored.Hit, from int) {
	if hit = w.settled(hit); hit.Err != nil {
		return
	}
	if at := w.headOf(hit, false); at >= 0 && w.Groups[at].At >= from {
		w.addMember(&w.Groups[at], hit, false)
	}
}

// addMember makes hit a member of a group.
func (w *Walk) addMember(g *Group, hit *stored.Hit, visible bool) {
	if len(w.room) == 0 {
		w.room = make([]Member, 8)
	}
	m := &w.room[0]
	w.room = w.room[1:]
	m.Visible, m.At = visible, w.Shown()
	w.match(m, &g.Head, hit)
	g.Members = append(g.Members, m)
	if visible {
		g.Shown++
	}
}

// match makes m of a hit, and compares it with a head.
func (w *Walk) match(m *Member, head, hit *stored.Hit) {
	m.Hit, m.Key = *hit, hit.Key != fields.None && hit.Key == head.Key
	w.blank(&m.Hit)
	if len(w.Signed) > 1 {
		w.compareAll(m, head)
		return
	}
	m.Compared = w.compare(0, m, head)
}

// Promote makes a member the head of its group. The old head becomes the first member, and the group stands at its rank.
func (w *Walk) Promote(g *Group, member int) {
	hits := []stored.Hit{g.Head}
	for i := range g.Members {
		if i != member {
			hits = append(hits, g.Members[i].Hit)
		}
	}
	g.Head, g.Stands = g.Members[member].Hit, g.Head.DocumentMatch
	g.Members = make([]*Member, len(hits))
	for i := range hits {
		g.Members[i] = new(Member)
		w.match(g.Members[i], &g.Head, &hits[i])
	}
}

// lacks reports whether a hit lacks what it would be grouped by.
func (w *Walk) lacks(hit *stored.Hit) bool {
	if w.Fields.Alone() {
		return hit.Key == fields.None
	}
	return errors.Is(hit.Err, stored.ErrNone)
}

// Recall makes hit the head of a group that pages before showed so many hits of. It is no hit of
// this page, whose counts do not include it. A hit without a DocumentMatch or a signature hides
// nothing. Neither does a second head of the same text, which would hide nothing more than the first:
// only a forged cursor has such heads, and thousands of them would be slow.
func (w *Walk) Recall(hit *stored.Hit, shown int) {
	head, useful := *hit, false
	if hit.DocumentMatch == nil {
		head.Scope, head.Key = fields.Apart, fields.None
	} else if head = *w.settled(hit); head.Err == nil && !w.Fields.Alone() {
		if w.known == nil {
			w.known = make(map[string]bool)
		}
		of := textOf(&head)
		useful, w.known[of] = !w.known[of], true
		w.foreign(&head)
	}
	w.Before += shown
	if !useful {
		head.Signature, head.More = none, nil
	}
	w.addGroup(Group{Head: head, Shown: shown, At: -1}, head.DocumentMatch != nil && w.lacks(&head))
}

// Forget makes all that was taken hits of the pages before: nothing of it is counted or listed.
func (w *Walk) Forget() {
	w.Before = w.Shown()
	w.Hits, w.Hidden, w.Damaged, w.Foreign = nil, nil, nil, nil
	w.Unsigned, w.Keyless, w.Rejected = 0, 0, 0
	for i := range w.Groups {
		w.Groups[i].At, w.Groups[i].Members = -1, nil
	}
}

// Begin starts a family of n hits: none of them is in a group with a hit before or after the family.
func (w *Walk) Begin(n int) {
	w.heads.Begin(n)
}

// headOf returns the first head that a hit is a member of, or -1.
func (w *Walk) headOf(hit *stored.Hit, missing bool) int {
	at := -1
	switch {
	case missing && w.Together:
		at = w.heads.Bare(hit.Scope)
	case hit.Err == nil && !w.Fields.Alone():
		at = w.nearHead(hit)
	}
	return earlier(at, w.heads.Key(hit.Key))
}

// earlier returns the first of two heads, of which each can be -1 for none.
func earlier(a, b int) int {
	if a < 0 || b >= 0 && b < a {
		return b
	}
	return a
}

// Reserve says that n visible hits are expected, before the first. Room for them is made when it comes. Release must be called
// after it.
func (w *Walk) Reserve(n int) {
	w.heads.Reserve(n, w.ruled())
	w.most = min(n, 1000) // no larger pages are expected
}

// Release gives memory back.
func (w *Walk) Release() { w.heads.Release() }

// addGroup makes g the last group. missing says that its head lacks what it would be grouped by.
func (w *Walk) addGroup(g Group, missing bool) {
	if len(w.Groups) == 0 {
		w.Groups, w.Hits = slices.Grow(w.Groups, w.most), slices.Grow(w.Hits, w.most)
	}
	w.Groups = append(w.Groups, g)
	last := len(w.Groups) - 1
	head := &w.Groups[last].Head
	w.blank(head)
	w.heads.Add(head, missing && w.Together)
}

// blank takes the signature out of a hit that is not compared.
func (w *Walk) blank(hit *stored.Hit) {
	if hit.Err != nil || w.Fields.Alone() {
		hit.Signature = none
	}
}

// count counts a hit that lacks what it would be grouped by, or has a signature that cannot be read or is foreign.
func (w *Walk) count(hit *stored.Hit, missing bool) {
	switch alone := w.Fields.Alone(); {
	case missing && alone:
		w.Keyless++
		return
	case missing:
		w.Unsigned++
		return
	case alone:
		return
	}
	if err := Damage(hit); err != nil {
		damaged := *hit
		damaged.Err = err
		w.Damaged = append(w.Damaged, damaged)
	}
	if w.foreign(hit) {
		if w.Foreign == nil {
			w.Foreign = make(map[string]int)
		}
		w.Foreign[hit.Index]++
	}
}

// foreign notes the parameters of a hit's signatures, and reports whether one of them has others than
// the first of its field. It also checks that rules ask for no more lanes than there are.
func (w *Walk) foreign(hit *stored.Hit) (foreign bool) {
	for i := range 1 + len(hit.More) {
		one := hit.In(i)
		if one.Err != nil || one.Signature == none {
			continue
		}
		params := int64(one.Signature.Params)
		if w.first[i] < 0 {
			w.first[i] = params
		}
		foreign = foreign || params != w.first[i]
		if lanes := one.Signature.Lanes; w.err == nil && lanes > 0 && lanes < w.Signed[i].Rule.Lanes {
			w.err = fmt.Errorf("collapse: rule: lanes: wanted 0 to %d, as many as the sketch of %q has, got %d", lanes, hit.ID, w.Signed[i].Rule.Lanes)
		}
	}
	return foreign
}
