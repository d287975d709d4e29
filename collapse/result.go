package collapse

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/collapse/explain"
	"github.com/neardup/bleve-neardup/collapse/internal/grouping"
	"github.com/neardup/bleve-neardup/collapse/internal/outcome"
	"github.com/neardup/bleve-neardup/collapse/internal/paging"
	"github.com/neardup/bleve-neardup/collapse/internal/ranking"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// String returns the member in words, such as mirror (98 lanes, Hamming 2, by "sketch+simhash"): fmt prints copies so.
func (m Member) String() string {
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

// result makes a Result of what was found, and adds what the options ask for besides. There can be more
// groups if more says so, or a search of x failed in part.
func (o *Options) result(ctx context.Context, x *ranking.Watched, request *bleve.SearchRequest, found *outcome.Outcome, more bool) (*Result, error) {
	r := o.resultOf(found)
	for _, want := range o.InnerHits {
		if err := want.answer(ctx, x, request, found, r); err != nil {
			return nil, err
		}
	}
	err := o.explain(ctx, x, r)
	worst := x.Worst(r.Status)
	if failed := worst != nil && worst.Failed > 0; failed || more {
		r.Complete = r.Complete && !failed
		r.atLeast()
	}
	r.Status = outcome.AddForeign(worst, found.Walk.Foreign)
	return r, err
}

// resultOf returns all that was found.
func (o *Options) resultOf(found *outcome.Outcome) *Result {
	r := &Result{SearchResult: found.SearchResult, Groups: o.groupsOf(found.Groups), TotalGroups: found.Total, TotalGroupsRelation: bleve.TotalRelationEq, Hidden: found.Hidden, Complete: found.Complete}
	if len(found.Earlier) > 0 {
		r.Earlier = o.groupsOf(found.Earlier)
	}
	r.count(found.Walk)
	return r
}

// atLeast says that there can be more groups, and members, than were met.
func (r *Result) atLeast() {
	r.TotalGroupsRelation = bleve.TotalRelationGte
	if r.Complete {
		return
	}
	for _, g := range r.Groups {
		for _, inner := range g.InnerHits {
			inner.TotalRelation = bleve.TotalRelationGte
		}
	}
}

func (o *Options) groupsOf(found []grouping.Group) []Group {
	groups := make([]Group, len(found))
	size := 0
	for i := range found {
		size += len(found[i].Members)
	}
	members, overlaps := make([]Member, size), make([]Overlap, size)
	for i := range found {
		g := &found[i]
		if groups[i].Head = refOf(g.Head.DocumentMatch); g.Stands != nil {
			stands := refOf(g.Stands)
			groups[i].Stands = &stands
		}
		n := len(g.Members)
		if n == 0 {
			continue
		}
		groups[i].Members, members = members[:n:n], members[n:]
		for k, m := range g.Members {
			o.fill(&groups[i].Members[k], m, &g.Head, &overlaps[0])
			overlaps = overlaps[1:]
		}
	}
	return groups
}

// fill fills in a member that was found. overlap is room for what it has in common with the head.
func (o *Options) fill(to *Member, m *grouping.Member, head *stored.Hit, overlap *Overlap) {
	to.Ref, to.Score, to.Match = refOf(m.DocumentMatch), m.Score, m.Match
	to.Verified, to.Key, to.Visible, to.Hit = m.Shares != nil, m.Key, m.Visible, m.DocumentMatch
	if shared, ok := outcome.OverlapOf(m, head); ok {
		*overlap = Overlap(shared)
		to.Overlap = overlap
	}
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

// count says how many hits the walk met that it could not group, and why.
func (r *Result) count(w *grouping.Walk) {
	r.Rejected = w.Rejected
	r.Unsigned, r.Valueless = w.Unsigned, w.Valueless
	for _, n := range w.Foreign {
		r.Foreign += n
	}
	for _, hit := range w.Damaged {
		r.Damaged = append(r.Damaged, Damage{Ref: refOf(hit.DocumentMatch), Reason: hit.Err.Error(), Err: hit.Err})
	}
}

// ErrForeign is wrapped by errors in Result.Status which say that signatures of an index were
// made with other parameters than the first that was met, such as another seed or width, and
// match nothing of the first kind. The index has answered: it does not count as failed.
var ErrForeign = outcome.ErrForeign

// Hits collapses hits, which are in rank order and carry the stored field
// signature.SketchField of o.Field in their Fields, as well as the fields that o.Within and
// o.By name. The result has the hits to show, and the groups in the order of their heads. Of o it uses Field,
// Rule, Within, By, Keep, Visible and Missing; Verify needs
// an index and is an error. Hits do not say whether a field is misspelled, or was left out of the request's
// Fields: all are then shown as hits without a signature. Hits do not say what the field's rule is, either:
// neardup.RuleOf has it, of a mapping. The error is also of an invalid option, a nil hit, or a rule that asks
// for more lanes than a sketch has.
func Hits(hits search.DocumentMatchCollection, o Options) (*Result, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	if o.Verify.On() {
		return nil, errors.New("collapse: verify needs an index, whose texts it compares")
	}
	found, err := paging.Given(hits, paging.Options{Groups: o.grouping(), Keep: o.keep()})
	if err != nil {
		return nil, err
	}
	r := o.resultOf(found)
	r.TotalGroups = len(r.Groups)
	return r, nil
}
