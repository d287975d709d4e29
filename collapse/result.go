package collapse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/explain"
	"github.com/neardup/bleve-neardup/collapse/internal/groups"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/hits"
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

// resultOf returns a page of hits, with the groups that a walk put them in: those whose head is on the page, and others.
func resultOf(found *bleve.SearchResult, w *groups.Walk, of, earlier []groups.Group) *Result {
	r := &Result{
		SearchResult: found, Groups: groupsOf(of), TotalGroups: len(w.Groups), TotalGroupsRelation: bleve.TotalRelationEq,
		Hidden: w.Hidden, Unsigned: w.Unsigned, Rejected: w.Rejected, Valueless: w.Valueless,
	}
	if len(earlier) > 0 {
		r.Earlier = groupsOf(earlier)
	}
	for _, n := range w.Foreign {
		r.Foreign += n
	}
	for _, hit := range w.Damaged {
		r.Damaged = append(r.Damaged, Damage{Ref: refOf(hit.DocumentMatch), Reason: hit.Err.Error(), Err: hit.Err})
	}
	return r
}

// finish adds to r what the options ask for besides. There can be more groups if more says so, or a search failed in part.
func (o *Options) finish(ctx context.Context, h *hits.Hits, r *Result, w *groups.Walk, more bool) error {
	for _, want := range o.InnerHits {
		if err := want.answer(ctx, h, r); err != nil {
			return fmt.Errorf("collapse: inner_hits %q: %w", want.Name, err)
		}
	}
	err := o.explain(ctx, h.Index(), r)
	worst := h.Index().Worst(r.Status)
	if failed := worst != nil && worst.Failed > 0; failed || more {
		r.Complete = r.Complete && !failed
		r.atLeast()
	}
	r.Status = addForeign(worst, w.Foreign)
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
		sorted, err := h.Sorted(ctx, all, i.Sort)
		if err != nil {
			return err
		}
		ranks := hits.Ranks(sorted)
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
	of, err := h.Named(ctx, all, &hits.Wanted{Fields: i.Fields, Highlight: i.Highlight})
	if err != nil {
		return err
	}
	for n := range r.Groups {
		inner := &InnerResult{Hits: search.DocumentMatchCollection{}, Total: len(hidden[n]), TotalRelation: bleve.TotalRelationEq}
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

func groupsOf(found []groups.Group) []Group {
	all := make([]Group, len(found))
	size := 0
	for i := range found {
		size += len(found[i].Members)
	}
	members, overlaps := make([]Member, size), make([]Overlap, size)
	for i := range found {
		g := &found[i]
		if all[i].Head = refOf(g.Head.DocumentMatch); g.Stands != nil {
			stands := refOf(g.Stands)
			all[i].Stands = &stands
		}
		n := len(g.Members)
		if n == 0 {
			continue
		}
		all[i].Members, members = members[:n:n], members[n:]
		for k, m := range g.Members {
			fill(&all[i].Members[k], m, &g.Head, &overlaps[0])
			overlaps = overlaps[1:]
		}
	}
	return all
}

// fill fills in a member that was found. overlap is room for what it has in common with the head.
func fill(to *Member, m *groups.Member, head *stored.Hit, overlap *Overlap) {
	to.Ref, to.Score, to.Match = refOf(m.DocumentMatch), m.Score, m.Match
	to.Verified, to.Key, to.Visible, to.Hit = m.Shares != nil, m.Key, m.Visible, m.DocumentMatch
	if overlap.fill(m, head) {
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

// fill says what a member and its head have in common: exact if their texts were compared, else an estimate. It returns
// false if one of them has no signature.
func (o *Overlap) fill(m *groups.Member, head *stored.Hit) bool {
	if m.Shares != nil {
		o.Resemblance = m.Shares.Resemblance()
		o.OfHead, o.InHead = m.Shares.Containment()
		return true
	}
	own, other := m.Signature, head.Signature
	r, ok := own.Resemblance(other)
	if !ok {
		return false
	}
	*o = Overlap{r, r, r}
	if own.Exact != other.Exact {
		o.InHead, o.OfHead = r.Containment(own.Shingles, other.Shingles)
	}
	return true
}

// ErrForeign is wrapped by errors in Result.Status which say that signatures of an index were
// made with other parameters than the first that was met, such as another seed or width, and
// match nothing of the first kind. The index has answered: it does not count as failed.
var ErrForeign = errors.New("signatures of other parameters")

// addForeign returns a status that tells how many hits of which index have foreign signatures.
func addForeign(status *bleve.SearchStatus, of map[string]int) *bleve.SearchStatus {
	if len(of) == 0 || status == nil {
		return status
	}
	own := *status // which bleve may keep
	own.Errors = maps.Clone(own.Errors)
	if own.Errors == nil {
		own.Errors = make(bleve.IndexErrMap)
	}
	for name, hits := range of {
		if own.Errors[name] == nil {
			own.Errors[name] = fmt.Errorf("collapse: wanted signatures of the parameters (seed, width, ...) that the first hit's has, got %d hits with others, which match none of the first kind: backfill makes them anew: %w", hits, ErrForeign)
		}
	}
	return &own
}

// Hits collapses hits, which are in rank order and carry the stored field
// signature.Field.Sketch of o.Field in their Fields, as well as the fields that o.Within and
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
	w := groups.New(o.grouping())
	numbers := fields.Numbers{Options: w.Fields}
	name, names := signature.Field(o.Field).Sketch(), numbers.Names()
	var read stored.Hit // which the walk copies
	for i, hit := range hits {
		if hit == nil {
			return nil, fmt.Errorf("collapse: wanted hits, got nil in place %d", i)
		}
		if read = (stored.Hit{DocumentMatch: hit, Rejected: o.Filter.Keep != nil && !o.Filter.Keep(hit)}); !read.Rejected {
			if !numbers.Alone() {
				read.Signature, read.Err = stored.OfHit(hit, name)
			}
			values := fields.OfHit(hit.Fields, names)
			read.Lacks = values.Lacks(len(names))
			read.Scope, read.Key, _ = numbers.Of(values)
		}
		w.Take(&read, true)
	}
	if err := w.Err(); err != nil {
		return nil, err
	}
	shown := append(search.DocumentMatchCollection{}, w.Hits...)
	return resultOf(&bleve.SearchResult{Total: uint64(len(hits)), Hits: shown}, w, w.Groups, nil), nil
}
