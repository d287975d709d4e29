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
	rule  signature.Rule
	field string
	read  func(*search.DocumentMatch) (*signature.Signature, error)

	heads  []head
	table  *table.Table // of the heads' signatures, at the same positions
	groups []Group      // of heads[len(heads)-len(groups):]; the heads before are an earlier page's

	err      error  // the rule asks for what no sketch can have
	first    uint32 // Params of the first signature met
	signed   bool   // there was one
	hidden   int
	unsigned int
	foreign  int
	damaged  []Damage
}

// head is a hit that stays.
type head struct {
	ref Ref
	hit *search.DocumentMatch // nil if it is an earlier page's
	sig *signature.Signature  // none if it has no readable one
}

// none is the signature of no text, which matches nothing.
var none = new(signature.Signature)

func newWalk(o Options) (*walk, error) {
	w := &walk{rule: signature.DefaultRule(), field: signature.DefaultField}
	if o.Rule != nil {
		w.rule = *o.Rule
	}
	if err := w.rule.Validate(); err != nil {
		return nil, fmt.Errorf("collapse: %w", err)
	}
	if o.Field != "" {
		w.field = o.Field
	}
	w.table = table.New(w.rule)
	return w, nil
}

// take adds the next hit to the group of the first head it matches. If there is
// none it returns false with the signature that place wants.
func (w *walk) take(hit *search.DocumentMatch) (hidden bool, sig *signature.Signature) {
	sig = w.signature(hit)
	i := w.table.First(sig)
	if i < 0 {
		return false, sig
	}
	match, _ := w.rule.Match(w.heads[i].sig, sig)
	g := &w.groups[i]
	g.Members = append(g.Members, Member{Ref: refOf(hit), Score: hit.Score, Match: match, Hit: hit})
	w.hidden++
	return true, sig
}

// place makes a hit that take did not hide a head.
func (w *walk) place(hit *search.DocumentMatch, sig *signature.Signature) {
	w.add(head{ref: refOf(hit), hit: hit, sig: sig})
}

func (w *walk) add(h head) {
	w.heads = append(w.heads, h)
	w.table.Add(h.sig)
	w.groups = append(w.groups, Group{Head: h.ref})
}

// signature returns the signature of hit, or none, and keeps count of those that
// cannot be used.
func (w *walk) signature(hit *search.DocumentMatch) *signature.Signature {
	sig, err := w.read(hit)
	switch {
	case errors.Is(err, errUnsigned):
		w.unsigned++
		return none
	case err != nil:
		w.damaged = append(w.damaged, Damage{Ref: refOf(hit), Reason: err.Error(), Err: err})
		return none
	}
	if !w.signed {
		w.signed, w.first = true, sig.Params
	}
	if sig.Lanes > 0 && sig.Lanes < w.rule.Lanes {
		w.err = fmt.Errorf("collapse: rule: lanes: wanted 0 to %d, as many as the sketch of %q has, got %d", sig.Lanes, hit.ID, w.rule.Lanes)
	}
	if sig.Params != w.first {
		w.foreign++
	}
	return sig
}

// result returns the groups of heads[from:] with their hits, and of the heads
// before those that hide something.
func (w *walk) result(from int) *Result {
	from = min(from, len(w.heads))
	r := &Result{
		Groups:   w.groups[from:],
		Hidden:   w.hidden,
		Unsigned: w.unsigned,
		Foreign:  w.foreign,
		Damaged:  w.damaged,
	}
	for _, g := range w.groups[:from] {
		if len(g.Members) > 0 {
			r.Earlier = append(r.Earlier, g)
		}
	}
	return r
}

// hits returns the heads from the given one on.
func (w *walk) hits(from int) search.DocumentMatchCollection {
	hits := search.DocumentMatchCollection{}
	for _, h := range w.heads[min(from, len(w.heads)):] {
		hits = append(hits, h.hit)
	}
	return hits
}

// Hits collapses hits, which are in rank order and carry the stored field
// signature.SketchField(o.Field) in their Fields. It returns the heads, and for
// each its group. Budget and Cursor are not used. The error tells of an invalid
// rule.
func Hits(hits search.DocumentMatchCollection, o Options) (search.DocumentMatchCollection, []Group, error) {
	w, err := newWalk(o)
	if err != nil {
		return nil, nil, err
	}
	w.read = stored{field: signature.SketchField(w.field)}.read
	for _, hit := range hits {
		if hidden, sig := w.take(hit); !hidden {
			w.place(hit, sig)
		}
	}
	if w.err != nil {
		return nil, nil, w.err
	}
	return w.hits(0), slices.Clip(w.groups), nil
}
