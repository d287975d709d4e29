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

// result makes a Result of what was found, and adds what the options ask for besides.
func (o Options) result(ctx context.Context, x bleve.Index, request *bleve.SearchRequest, found *outcome.Outcome) (*Result, error) {
	r := o.resultOf(found)
	for _, want := range o.InnerHits {
		if err := want.answer(ctx, x, request, found, r); err != nil {
			return nil, err
		}
	}
	return r, o.explain(ctx, x, r)
}

// resultOf returns all that was found.
func (o Options) resultOf(found *outcome.Outcome) *Result {
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

func (o Options) groupsOf(found []outcome.Group) []Group {
	groups := make([]Group, len(found))
	for i := range found {
		groups[i] = o.groupOf(&found[i])
	}
	return groups
}

func (o Options) groupOf(g *outcome.Group) Group {
	group := Group{Head: Ref(g.Place), Stands: (*Ref)(g.Stands)}
	if len(g.Members) == 0 {
		return group
	}
	group.Members = make([]Member, len(g.Members))
	for i := range g.Members {
		m := &g.Members[i]
		group.Members[i] = Member{Ref: refOf(m.DocumentMatch), Score: m.Score, Match: m.Match, Verified: m.Shares != nil, Key: m.Key, Visible: m.Visible, Hit: m.DocumentMatch}
		group.Members[i].Overlap = (*Overlap)(outcome.OverlapOf(m, &g.Head))
		for n, c := range m.Several {
			group.Members[i].Field = o.Fields[m.Field].Field
			group.Members[i].Fields = append(group.Members[i].Fields, FieldMatch{o.Fields[n].Field, c.Match})
		}
	}
	return group
}

// explain adds the explanations of members.
func (o Options) explain(ctx context.Context, x bleve.Index, r *Result) error {
	if o.Explain == nil {
		return nil
	}
	var pairs []explain.Pair
	var members []*Member
	for g := range r.eachGroup {
		for i := range g.Members[:min(len(g.Members), o.Explain.Most())] {
			m := &g.Members[i]
			pairs = append(pairs, explain.Pair{Head: explain.Document(g.Head), Member: explain.Document(m.Ref), Field: m.Field})
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

// count counts the hits whose signature could not be used.
func (r *Result) count(w *grouping.Walk) {
	r.Rejected = w.Rejected
	r.Unsigned, r.Keyless = w.Unsigned, w.Keyless
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
// signature.SketchField of each fingerprinted field in their Fields, as well as the fields that o.Within and
// o.By name. The result has the hits to show, and the groups in the order of their heads. Of o it does not
// use Whole, KeepFields, Filter, AllowUnsigned, Budget, Cursor, InnerHits and Explain. Hits do not say
// whether a field is misspelled, or was left out of the request's Fields: all are then shown as hits without
// a signature. Hits do not say what the field's rule is, either: neardup.RuleOf has it, of a mapping. The
// error is of an invalid option, or of a rule that asks for more lanes than a sketch has.
func Hits(hits search.DocumentMatchCollection, o Options) (*Result, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	if o.Verify.On() {
		return nil, errors.New("collapse: verify needs an index, whose texts it compares")
	}
	found, err := paging.Given(hits, paging.Options{Field: o.Field, Groups: o.grouping(), Keep: o.keep(), Demote: o.Demote})
	if err != nil {
		return nil, err
	}
	r := o.resultOf(found)
	r.TotalGroups = len(r.Groups)
	return r, nil
}
