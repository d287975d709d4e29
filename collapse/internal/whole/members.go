package whole

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/internal/hits"
)

// anyIndex is bleve.Index under a name that, embedded, hides no method.
type anyIndex = bleve.Index

// errRemote is the error of an index that is not local.
var errRemote = hits.Wrong(errors.New("collapse: whole needs a local index or an alias of local ones, got one that is remote, or of another " +
	"type than bleve's: leave out whole, and ask for pages; or search where the index is"))

// leaf is a local index of those that a search asks.
type leaf struct {
	anyIndex
	address uintptr // of what Advanced returns; 0 if it is closed
}

// leavesOf returns the local indexes that x is, or is an alias of.
//
// It sees through bleve's own alias alone. An index of another type that stands before others might
// want to see or drop their hits, so it must be asked itself: it cannot be, unless it stands before
// one local index.
func leavesOf(x bleve.Index) (all []leaf, err error) {
	if inside, ok := hits.Inside(x); ok {
		return leavesOf(inside)
	}
	inner, err := x.Advanced()
	if alias, ok := x.(interface{ VisitIndexes(func(bleve.Index)) }); ok && reflect.TypeOf(x) == aliasType {
		if err == bleve.ErrorIndexClosed || err == bleve.ErrorAliasEmpty {
			return nil, err
		}
		err = nil
		alias.VisitIndexes(func(member bleve.Index) {
			of, wrong := leavesOf(member)
			all, err = append(all, of...), cmp.Or(err, wrong)
		})
		return all, err
	}
	if err != nil && err != bleve.ErrorIndexClosed {
		return nil, errRemote
	}
	l := leaf{anyIndex: x}
	if v := reflect.ValueOf(inner); err == nil && v.Kind() == reflect.Pointer {
		l.address = v.Pointer()
	}
	return []leaf{l}, nil
}

var aliasType = reflect.TypeOf(bleve.NewIndexAlias())

// twice returns an error if an index is among the others twice.
func twice(all []leaf) error {
	seen := make(map[uintptr]bool, len(all))
	for _, l := range all {
		if l.address != 0 && seen[l.address] {
			return hits.Wrong(fmt.Errorf("collapse: whole: wanted an alias of different indexes, got index %q twice", l.Name()))
		}
		seen[l.address] = true
	}
	return nil
}

// asked is a leaf as a member of an alias of bleve's, which asks all at once.
//
// bleve locks an index against Close as long as it searches there. If each of two searches had locked
// one index, and waited in its meeting for the other, which somebody is about to close, all would wait
// for ever. So all searches lock indexes in the same order: each leaf waits until bleve has locked the
// one before.
type asked struct {
	anyIndex
	*seat
	of     *joint
	before *seat // or nil
	hits   search.DocumentMatchCollection
}

// sit gives each leaf its seat.
func (j *joint) sit(leaves []leaf, seats []*seat) []*asked {
	all := make([]*asked, len(leaves))
	order := make([]int, len(leaves))
	for i, l := range leaves {
		all[i], order[i] = &asked{anyIndex: l.anyIndex, seat: seats[i], of: j}, i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(leaves[a].address, leaves[b].address) })
	for i := 1; i < len(order); i++ {
		all[order[i]].before = seats[order[i-1]]
	}
	return all
}

// SearchInContext implements bleve.Index. The hits stay here, for others to merge.
func (a *asked) SearchInContext(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	if before, _ := ctx.Value(search.PreSearchKey).(bool); before {
		return a.anyIndex.SearchInContext(ctx, r)
	}
	defer a.leave()
	if a.before != nil {
		select {
		case <-a.before.begun:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	res, err := a.of.page(a.with(ctx, a.of.query), a, r.PreSearchData)
	if err == nil {
		err = a.absent()
	}
	if err != nil {
		return nil, err
	}
	a.hits, res.Hits = res.Hits, nil
	return res, nil
}
