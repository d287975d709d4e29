package collapse

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/explain"
	"github.com/neardup/bleve-neardup/collapse/internal/groups"
	"github.com/neardup/bleve-neardup/internal/hits"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// String returns the member in words, such as mirror (98 lanes, Hamming 2, by "sketch+simhash"): fmt prints copies so.
// One that has the head's key alone was not compared.
func (m Member) String() string {
	if m.Key && m.Match == (signature.Match{}) {
		return m.ID + " (same key)"
	}
	return fmt.Sprintf("%s (%d lanes, Hamming %d, by %q)", m.ID, m.Agree, m.Hamming, m.By)
}

// Place is where a hit on the page stands among the groups.
type Place struct {
	// Copies are the near-copies that are listed under the hit. A hit that is shown though
	// it is a copy itself has none: they are listed under its head.
	Copies []Member

	// Copy is the hit as a member of its group; nil if the hit is a head.
	Copy *Member

	// Group is the group of the hit, never nil.
	Group *Group
}

// All yields the hits of the page in rank order, each with its place, whatever the options. A
// Result that was read from JSON has places, too.
func (r *Result) All() iter.Seq2[*search.DocumentMatch, Place] {
	return func(yield func(*search.DocumentMatch, Place) bool) {
		if r == nil || r.SearchResult == nil {
			return
		}
		places := make(map[Ref]Place, len(r.Hits))
		for g := range r.eachGroup {
			for i := range g.Members {
				places[g.Members[i].Ref] = Place{Copy: &g.Members[i], Group: g}
			}
		}
		for i := range r.Groups {
			g := &r.Groups[i]
			places[g.Head] = Place{Copies: g.Members, Group: g}
		}
		for _, hit := range r.Hits {
			place, ok := places[refOf(hit)]
			if !ok { // of a result of bleve's own
				place.Group = &Group{Head: refOf(hit)}
			}
			if !yield(hit, place) {
				return
			}
		}
	}
}

// eachGroup yields all groups.
func (r *Result) eachGroup(yield func(*Group) bool) {
	for _, groups := range [...][]Group{r.Groups, r.Earlier} {
		for i := range groups {
			if !yield(&groups[i]) {
				return
			}
		}
	}
}

// resultOf returns a page of hits, with the groups that a walk put them in: those whose head is on the page, and
// others.
func resultOf(found *bleve.SearchResult, w *groups.Walk, of, earlier []groups.Group) *Result {
	r := &Result{
		SearchResult: found, Groups: groupsOf(of), TotalGroups: len(w.Groups), TotalGroupsRelation: bleve.TotalRelationEq,
		Hidden: w.Hidden, Unsigned: w.Unsigned, Foreign: w.Foreign, Valueless: w.Valueless,
	}
	if len(earlier) > 0 {
		r.Earlier = groupsOf(earlier)
	}
	for _, hit := range w.Damaged {
		r.Damaged = append(r.Damaged, Damage{Ref: refOf(hit.DocumentMatch), Reason: hit.Err.Error(), Err: hit.Err})
	}
	return r
}

// finish adds to r what the options ask for besides. There can be more groups if more says so, or a search failed in
// part.
func (o *Options) finish(ctx context.Context, h *hits.Hits, r *Result, more bool) error {
	for _, want := range o.InnerHits {
		if err := want.answer(ctx, h, r); err != nil {
			return fmt.Errorf("collapse: inner_hits %q: %w", want.Name, err)
		}
	}
	err := o.explain(ctx, h.Index(), r)
	r.Status = h.Index().Worst(r.Status)
	if failed := r.Status != nil && r.Status.Failed > 0; failed || more {
		r.Complete = r.Complete && !failed
		r.TotalGroupsRelation = bleve.TotalRelationGte
	}
	return err
}

// answer adds what i asks for to the groups of a result.
func (i *InnerHits) answer(ctx context.Context, h *hits.Hits, r *Result) error {
	hidden := make([]search.DocumentMatchCollection, len(r.Groups))
	var all search.DocumentMatchCollection
	for n := range r.Groups {
		for _, m := range r.Groups[n].Members {
			if !m.Visible {
				hidden[n] = append(hidden[n], m.Hit)
			}
		}
		all = append(all, hidden[n]...)
	}
	if len(i.Sort) > 0 && i.Size > 0 {
		ranks, err := h.Ranks(ctx, all, i.Sort)
		if err != nil {
			return err
		}
		for _, some := range hidden {
			slices.SortStableFunc(some, func(a, b *search.DocumentMatch) int {
				return cmp.Compare(ranks[hits.PlaceOf(a)], ranks[hits.PlaceOf(b)])
			})
		}
	}
	chosen := make([]search.DocumentMatchCollection, len(hidden))
	all = nil
	for n, some := range hidden {
		some = some[min(i.From, len(some)):]
		chosen[n] = some[:min(i.Size, len(some))]
		all = append(all, chosen[n]...)
	}
	of, err := h.Named(ctx, all, &bleve.SearchRequest{Fields: i.Fields, Highlight: i.Highlight})
	if err != nil {
		return err
	}
	for n := range r.Groups {
		inner := &InnerResult{Hits: search.DocumentMatchCollection{}, Total: len(hidden[n])}
		for _, hit := range chosen[n] {
			if hit := of[hits.PlaceOf(hit)]; hit != nil { // else it was deleted since
				inner.Hits = append(inner.Hits, hit)
			}
		}
		g := &r.Groups[n]
		if g.InnerHits == nil {
			g.InnerHits = make(map[string]*InnerResult)
		}
		g.InnerHits[i.Name] = inner
	}
	return nil
}

// groupsOf returns groups as they are told.
func groupsOf(found []groups.Group) []Group {
	all := make([]Group, len(found))
	for i := range found {
		g := &found[i]
		if all[i].Head = refOf(g.Head.DocumentMatch); g.Stands != nil {
			stands := refOf(g.Stands)
			all[i].Stands = &stands
		}
		all[i].Members = slices.Grow(all[i].Members, len(g.Members))
		for _, m := range g.Members {
			all[i].Members = append(all[i].Members, Member{
				Ref: refOf(m.DocumentMatch), Score: m.Score, Match: m.Match, Key: m.Key, Verified: m.Shares != nil,
				Overlap: overlapOf(m, &g.Head), Visible: m.Visible, Hit: m.DocumentMatch,
			})
		}
	}
	return all
}

// explain adds the explanations of members.
func (o *Options) explain(ctx context.Context, x bleve.Index, r *Result) error {
	if o.Explain == nil {
		return nil
	}
	var pairs []explain.Pair
	var members []*Member
	for g := range r.eachGroup {
		for i := range g.Members[:min(len(g.Members), o.Explain.Most())] {
			m := &g.Members[i]
			pairs = append(pairs, explain.Pair{Head: explain.Document(g.Head), Member: explain.Document(m.Ref)})
			members = append(members, m)
		}
	}
	if err := explain.Pairs(ctx, x, o.Field, *o.Explain, pairs); err != nil {
		return fmt.Errorf("collapse: explain: %w", err)
	}
	for i, m := range members {
		if m.Explanation = pairs[i].Explanation; pairs[i].Err != nil {
			m.Unexplained = pairs[i].Err.Error()
		}
	}
	return nil
}

// overlapOf says what a member and its head have in common: exact if their texts were compared, else an estimate; nil
// if one of them has no signature.
func overlapOf(m *groups.Member, head *stored.Hit) *Overlap {
	if m.Shares != nil {
		o := &Overlap{Resemblance: m.Shares.Resemblance()}
		o.OfHead, o.InHead = m.Shares.Containment()
		return o
	}
	own, other := m.Signature, head.Signature
	r, ok := own.Resemblance(other)
	if !ok {
		return nil
	}
	o := &Overlap{r, r, r}
	if own.Exact != other.Exact {
		o.InHead, o.OfHead = r.Containment(own.Shingles, other.Shingles)
	}
	return o
}
