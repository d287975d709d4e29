// Package groups puts hits into groups: a Walk takes them in rank order, each with its
// signature and the numbers of its values (package fields). A hit becomes a Member in the Group
// of the first head that it is a near-duplicate of, or that has its key, or else a head itself.
package groups

import (
	"errors"
	"fmt"
	"slices"

	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// Options says how hits are grouped.
type Options struct {
	// Field is the fingerprinted field, and Rule says which hits are near-duplicates in it.
	Field string
	Rule  signature.Rule

	// Judge decides of a head and a hit that the rule proposes; nil if the rule decides.
	Judge Judge

	Fields  fields.Options // the values that hits are grouped by
	Visible int            // how many hits of each group are shown

	Drop bool // shows and lists no hits without a signature, of which otherwise each is a head
}

// Judge decides whether a hit is a near-duplicate of a head, by their signatures and more.
type Judge func(head, hit *stored.Hit) (verify.Finding, bool)

// ByTexts returns a Judge that goes by texts, which text reads, where v is on, and by the rule where one is not there.
func ByTexts(v signature.Verify, rule signature.Rule, text func(*stored.Hit) *verify.Text) Judge {
	judge := verify.Judge{Verify: v, Rule: rule}
	var kept verify.Cache[*search.DocumentMatch]
	of := func(hit *stored.Hit) func() *verify.Text {
		return func() *verify.Text { return kept.Text(hit.DocumentMatch, func() *verify.Text { return text(hit) }) }
	}
	return func(head, hit *stored.Hit) (verify.Finding, bool) {
		return judge.Pair(head.Signature, hit.Signature, of(head), of(hit))
	}
}

// Walk takes hits in rank order and groups them.
type Walk struct {
	Options

	Groups []Group                        // in the order of their heads
	Hits   search.DocumentMatchCollection // the visible ones, without the hits of pages before
	Before int                            // visible hits on the pages before
	Hidden int

	Unsigned int          // hits met without a signature
	Damaged  []stored.Hit // hits met whose signature cannot be read
	Foreign  int          // hits met whose signature has other parameters than the first

	Valueless map[string]int // hits met without a value, by field

	heads heads
	most  int   // visible hits that room is made for
	first int64 // the parameters of the first signature that was met; -1 before
	err   error // the rule asks for what no sketch can have
}

// Group is a head with its members, in rank order.
type Group struct {
	Head    stored.Hit
	Shown   int // visible hits of the group
	At      int // the head's place among all visible hits; -1 on a page before
	Members []*Member

	// Stands is the hit at whose rank the group stands, if it was made to show another; then it is the first member.
	Stands *search.DocumentMatch
}

// Matches returns the hits of g, the head first.
func (g *Group) Matches() search.DocumentMatchCollection {
	all := search.DocumentMatchCollection{g.Head.DocumentMatch}
	for _, m := range g.Members {
		all = append(all, m.DocumentMatch)
	}
	return all
}

// Member is a hit that is a near-duplicate of a head.
type Member struct {
	stored.Hit
	signature.Match                // without By if it has the head's key alone
	Shares          *verify.Shares // what its text shares with the head's; nil if these were not compared
	Key             bool           // it has the key of the head
	Visible         bool
	At              int // how many visible hits came before it
}

// none is the signature of no text, which matches nothing.
var none = new(signature.Signature)

// New returns a Walk that has taken nothing.
func New(o Options) *Walk {
	h := heads{values: o.Fields, rule: o.Rule, scopes: map[uint32]*scope{}, keys: map[uint32]*key{}}
	return &Walk{Options: o, heads: h, first: -1}
}

// Err returns an error if the rule asks for more lanes than a sketch that was met has.
func (w *Walk) Err() error { return w.err }

// Shown is how many visible hits there are, with the hits of the pages before.
func (w *Walk) Shown() int { return w.Before + len(w.Hits) }

// Take adds the next hit, of which it keeps a copy: to the group of the first head that it matches, or as a head
// itself. If it would be visible and there is no room, Take does nothing and returns false.
func (w *Walk) Take(hit *stored.Hit, room bool) bool {
	missing := w.lacks(hit)
	if missing && w.Drop {
		w.count(hit, true)
		return true
	}
	at := w.headOf(hit)
	visible := at < 0 || w.Groups[at].Shown < w.Visible
	if visible && !room {
		return false
	}
	w.count(hit, missing)
	if at < 0 {
		w.addGroup(Group{Head: *hit, Shown: 1, At: w.Shown()})
	} else {
		w.addMember(&w.Groups[at], hit, visible)
	}
	if visible {
		w.Hits = append(w.Hits, hit.DocumentMatch)
	} else {
		w.Hidden++
	}
	return true
}

// Join adds a hit, which ranks after all that were taken, to the group that it belongs to, if the At of
// that is from or more. The hit does not count as taken.
func (w *Walk) Join(hit *stored.Hit, from int) {
	if w.Drop && w.lacks(hit) {
		return
	}
	if at := w.headOf(hit); at >= 0 && w.Groups[at].At >= from {
		w.addMember(&w.Groups[at], hit, false)
	}
}

// addMember makes hit a member of a group.
func (w *Walk) addMember(g *Group, hit *stored.Hit, visible bool) {
	m := &Member{Visible: visible, At: w.Shown()}
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
	if w.Judge == nil {
		m.Match, _ = w.Rule.Match(head.Signature, m.Signature)
		return
	}
	v, ok := w.Judge(head, &m.Hit)
	if m.Match = v.Match; !ok {
		m.By = 0
	}
	if v.Verified {
		m.Shares = &v.Shares
	}
}

// promote makes a member the head of its group. The old head becomes the first member, and the group stands at its
// rank.
func (w *Walk) promote(g *Group, member int) {
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

// Forget makes all that was taken hits of the pages before: nothing of it is counted or listed.
func (w *Walk) Forget() {
	w.Before = w.Shown()
	w.Hits, w.Damaged, w.Foreign = nil, nil, 0
	w.Hidden, w.Unsigned, w.Valueless = 0, 0, nil
	for i := range w.Groups {
		w.Groups[i].At, w.Groups[i].Members = -1, nil
	}
}

// Begin starts a family of n hits: none of them is in a group with a hit before or after the family.
func (w *Walk) Begin(n int) {
	w.heads.begin(n)
}

// headOf returns the first head that a hit is a member of, or -1.
func (w *Walk) headOf(hit *stored.Hit) int {
	at := -1
	if hit.Err == nil && !w.Fields.Alone() {
		at = w.heads.near(hit.Scope, hit.Signature, func(group int) bool {
			if w.Judge == nil {
				return true
			}
			_, ok := w.Judge(&w.Groups[group].Head, hit)
			return ok
		})
	}
	return earlier(at, w.heads.withKey(hit.Key))
}

// earlier returns the first of two heads, of which each can be -1 for none.
func earlier(a, b int) int {
	if a < 0 || b >= 0 && b < a {
		return b
	}
	return a
}

// Reserve says that n visible hits are expected, before the first. Room for them is made when it comes.
func (w *Walk) Reserve(n int) {
	w.most = min(n, 1000) // no larger pages are expected
	w.heads.expected = w.most
}

// addGroup makes g the last group.
func (w *Walk) addGroup(g Group) {
	if len(w.Groups) == 0 {
		w.Groups, w.Hits = slices.Grow(w.Groups, w.most), slices.Grow(w.Hits, w.most)
	}
	w.Groups = append(w.Groups, g)
	last := len(w.Groups) - 1
	head := &w.Groups[last].Head
	w.blank(head)
	w.heads.add(last, head)
}

// blank takes the signature out of a hit that is not compared.
func (w *Walk) blank(hit *stored.Hit) {
	if hit.Err != nil || w.Fields.Alone() {
		hit.Signature = none
	}
}

// count counts a hit that lacks what it would be grouped by, or has a signature that cannot be read or is foreign.
func (w *Walk) count(hit *stored.Hit, missing bool) {
	w.CountLacks(hit.Lacks)
	switch {
	case w.Fields.Alone():
		return
	case missing:
		w.Unsigned++
		return
	}
	if hit.Damaged() {
		w.Damaged = append(w.Damaged, *hit)
	}
	if w.foreign(hit) {
		w.Foreign++
	}
}

// CountLacks counts a hit as one without a value of some fields, by their bits.
func (w *Walk) CountLacks(bits uint64) {
	if bits == 0 {
		return
	}
	if w.Valueless == nil {
		w.Valueless = make(map[string]int)
	}
	for i, name := range w.Fields.Names() {
		if bits>>i&1 != 0 {
			w.Valueless[name]++
		}
	}
}

// foreign notes the parameters of a hit's signature, and reports whether these are others than the first that was met.
// It also checks that the rule asks for no more lanes than there are.
func (w *Walk) foreign(hit *stored.Hit) bool {
	sig := hit.Signature
	if hit.Err != nil {
		return false
	}
	params := int64(sig.Params)
	if w.first < 0 {
		w.first = params
	}
	if lanes := max(w.Rule.Lanes, w.Rule.LongLanes); w.err == nil && sig.Lanes > 0 && sig.Lanes < lanes {
		w.err = fmt.Errorf("collapse: rule: lanes: wanted 0 to %d, as many as the sketch of %q has, got %d", sig.Lanes, hit.ID, lanes)
	}
	return params != w.first
}
