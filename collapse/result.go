package collapse

import (
	"errors"
	"fmt"
	"iter"
	"maps"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse/internal/grouping"
	"github.com/neardup/bleve-neardup/collapse/internal/paging"
	"github.com/neardup/bleve-neardup/internal/stored"
)

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

// eachMember calls f with all members of all groups.
func (r *Result) eachMember(f func(*Member)) {
	for g := range r.eachGroup {
		for i := range g.Members {
			f(&g.Members[i])
		}
	}
}

// groupOf returns a group with these of its members.
func groupOf(head Ref, g *grouping.Group, members []grouping.Member) Group {
	group := Group{Head: head}
	if len(members) == 0 {
		return group
	}
	group.Members = make([]Member, len(members))
	overlaps := make([]Overlap, len(members))
	for i := range members {
		m := &members[i]
		group.Members[i] = Member{Ref: refOf(m.DocumentMatch), Score: m.Score, Match: m.Match, Visible: m.Visible, Hit: m.DocumentMatch}
		if overlaps[i].estimate(m.Signature, g.Head.Signature) {
			group.Members[i].Overlap = &overlaps[i]
		}
	}
	return group
}

// estimate estimates the overlap of a member with its head, if both have a signature.
func (o *Overlap) estimate(member, head *signature.Signature) bool {
	r, ok := signature.Resemblance(member, head)
	if !ok {
		return false
	}
	if *o = (Overlap{r, r, r}); member.Exact != head.Exact {
		o.InHead, o.OfHead = r.Containment(member.Shingles, head.Shingles)
	}
	return true
}

// count counts the hits whose signature could not be used.
func (r *Result) count(w *grouping.Walk) {
	r.Unsigned = w.Unsigned
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
var ErrForeign = errors.New("signatures of other parameters")

// addForeign puts into the status how many hits of which index have foreign signatures.
func (r *Result) addForeign(of map[string]int) {
	if len(of) == 0 || r.Status == nil {
		return
	}
	status := *r.Status // which bleve may keep
	status.Errors = maps.Clone(status.Errors)
	if status.Errors == nil {
		status.Errors = make(bleve.IndexErrMap)
	}
	for name, hits := range of {
		if status.Errors[name] == nil {
			status.Errors[name] = fmt.Errorf("collapse: wanted signatures of the parameters (seed, width, ...) that the first hit's has, got %d hits with others, which match none of the first kind: backfill makes them anew: %w", hits, ErrForeign)
		}
	}
	r.Status = &status
}

// Hits collapses hits, which are in rank order and carry the stored field
// signature.SketchField(o.Field) in their Fields. The result has the hits to show, and
// the groups in the order of their heads. Of o it does not use Whole, AllowUnsigned, Budget,
// Cursor, InnerHits and Explain. Hits do not say whether a field is misspelled, or was left out
// of the request's Fields: all are then shown as hits without a signature. Hits do not say what the
// field's rule is, either: neardup.RuleOf has it, of a mapping. The error is of an
// invalid option, or of a rule that asks for more lanes than a sketch has.
func Hits(hits search.DocumentMatchCollection, o Options) (*Result, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	p := page{paging.Of(grouping.New(o.grouping()), o.Demote), o, nil}
	field := signature.SketchField(o.Field)
	for i, hit := range hits {
		if hit == nil {
			return nil, fmt.Errorf("collapse: wanted hits, got nil in place %d", i)
		}
		sig, err := stored.OfHit(hit, field)
		p.Walk.Take(stored.Hit{DocumentMatch: hit, Signature: sig, Err: err}, true)
	}
	if err := p.Walk.Err(); err != nil {
		return nil, err
	}
	shown := p.Shown(0)
	r := p.groups(shown)
	r.SearchResult = &bleve.SearchResult{Hits: shown, Total: uint64(len(hits))}
	r.TotalGroups, r.TotalGroupsRelation = len(r.Groups), bleve.TotalRelationEq
	return r, nil
}
