package hits

import (
	"reflect"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/indexes"
)

// localValues reads the values of hits in the local members of an alias, which bleve gives
// stored fields of, but not doc values. A member is read as it is now, and not as the search
// saw it: a hit that is gone meanwhile has no values there.
type localValues struct {
	of map[string][]*localMember // by the name of the index; nil until it is opened
}

// localMember is a snapshot of a member.
type localMember struct {
	index.IndexReader
	values *fields.Reader
}

// open finds the local members of x.
func (l *localValues) open(x bleve.Index, names []string) {
	l.of = make(map[string][]*localMember)
	visit(x, func(x bleve.Index, inner index.Index) {
		reader, err := inner.Reader()
		if err != nil || column.Nil(reader) {
			return // closed, as the search will say
		}
		values, err := fields.NewReader(reader, names)
		if err != nil {
			reader.Close()
			return
		}
		l.of[x.Name()] = append(l.of[x.Name()], &localMember{reader, values})
	})
}

// Inside returns the index that x stands for as a part: see package parts.
func Inside(x bleve.Index) (bleve.Index, bool) {
	if p, ok := x.(interface{ Inside() bleve.Index }); ok {
		return p.Inside(), true
	}
	return nil, false
}

// Members returns the indexes that x is an alias of, and false if it is no alias of bleve's, or none that is open.
func Members(x bleve.Index) (all []bleve.Index, ok bool) {
	if inside, ok := Inside(x); ok {
		x = inside
	}
	alias, ok := x.(interface{ VisitIndexes(func(bleve.Index)) })
	if !ok || reflect.TypeOf(x) != aliasType {
		return nil, false
	}
	if _, err := x.Advanced(); err == bleve.ErrorIndexClosed || err == bleve.ErrorAliasEmpty {
		return nil, false
	}
	alias.VisitIndexes(func(x bleve.Index) { all = append(all, x) })
	return all, true
}

var aliasType = reflect.TypeOf(bleve.NewIndexAlias())

// visit calls f for x, or all that it is an alias of, as far as they are local, and reports
// whether all are.
func visit(x bleve.Index, f func(x bleve.Index, inner index.Index)) (local bool) {
	if w, ok := x.(*Watched); ok {
		x = w.anyIndex
	}
	local = true
	for _, leaf := range indexes.Leaves(x) {
		inner, err := leaf.Advanced()
		if err == nil {
			f(leaf, inner)
		}
		local = local && err == nil
	}
	return local
}

// append appends the values of a hit, and returns nil if no local member has it.
func (l *localValues) append(v fields.Values, hit *search.DocumentMatch) (fields.Values, error) {
	for _, m := range l.of[hit.Index] {
		id, err := m.InternalID(hit.ID)
		if err != nil {
			return nil, err
		}
		if id != nil {
			return m.values.Append(v, id)
		}
	}
	return nil, nil
}

// close lets go of the snapshots.
func (l *localValues) close() {
	for _, all := range l.of {
		for _, m := range all {
			m.Close()
		}
	}
}
