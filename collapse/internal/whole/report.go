package whole

import (
	"context"

	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/collapse/internal/grouping"
)

// Report is what a Searcher found out beside the matches that stay: bleve's result has no
// place for it. A context carries it to the Searcher.
type Report struct {
	reader index.IndexReader
	walk   *grouping.Walk // of matches that are neither lonely nor counted
	count  count
	detail func(hits search.DocumentMatchCollection) error // walks the families of hits
}

type reportKey struct{ query any }

// With returns a context in which a Searcher of query fills r.
func (r *Report) With(ctx context.Context, query any) context.Context {
	return context.WithValue(ctx, reportKey{query}, r)
}

// reportOf returns the report that a Searcher of query is to fill, or nil.
func reportOf(ctx context.Context, query any) *Report {
	r, _ := ctx.Value(reportKey{query}).(*Report)
	return r
}

// fill is called once the matches are grouped. The reader is kept open, so that the
// members' ids can be read; the reader of an index other than scorch cannot be, and all ids
// are read at once.
func (r *Report) fill(reader index.IndexReader, w *grouping.Walk, c count, detail func(search.DocumentMatchCollection) error) error {
	if r.walk != nil {
		return nil
	}
	r.walk, r.count, r.detail = w, c, detail
	if counted, ok := reader.(interface{ AddRef() }); ok {
		counted.AddRef()
		r.reader = reader
		return nil
	}
	for n := range w.Groups {
		if err := r.ids(reader, n); err != nil {
			return err
		}
	}
	return nil
}

// Close lets go of the snapshot. The report may be filled again.
func (r *Report) Close() {
	if r.reader != nil {
		r.reader.Close()
	}
	*r = Report{}
}

// Walk is the walk of all matches that might be hidden and were not only counted; nil if
// nothing was asked of the Searcher.
func (r *Report) Walk() *grouping.Walk { return r.walk }

// Groups is how many groups there are, and hidden how many matches are in them besides those
// that stay.
func (r *Report) Groups() (groups, hidden int) {
	return len(r.walk.Groups) + r.count.groups + r.count.lonely, len(r.walk.Hidden) + r.count.hidden
}

// Of returns the group of each hit, with the ids of its members, and nil for a hit that is a
// group of its own.
func (r *Report) Of(hits search.DocumentMatchCollection) ([]*grouping.Group, error) {
	if r.count.groups > 0 {
		if err := r.detail(hits); err != nil {
			return nil, err
		}
	}
	of := r.groupsOf(hits)
	all := make([]*grouping.Group, len(hits))
	for i, hit := range hits {
		n, ok := of[string(hit.IndexInternalID)]
		if !ok {
			continue
		}
		if r.reader != nil {
			if err := r.ids(r.reader, n); err != nil {
				return nil, err
			}
		}
		g := &r.walk.Groups[n]
		g.Head.Index = hit.Index
		for i := range g.Members {
			g.Members[i].Hit.Index = hit.Index
		}
		all[i] = g
	}
	return all, nil
}

// groupsOf returns the groups of hits, by their numbers; lonely hits have none.
func (r *Report) groupsOf(hits search.DocumentMatchCollection) map[string]int {
	wanted := make(map[string]bool, len(hits))
	for _, hit := range hits {
		wanted[string(hit.IndexInternalID)] = true
	}
	of := make(map[string]int, len(hits))
	for n := range r.walk.Groups {
		g := &r.walk.Groups[n]
		if wanted[string(g.Head.IndexInternalID)] {
			of[string(g.Head.IndexInternalID)] = n
		}
		for i := range g.Members {
			if id := g.Members[i].IndexInternalID; wanted[string(id)] {
				of[string(id)] = n
			}
		}
	}
	return of
}

// ids reads the ids of a group.
func (r *Report) ids(reader index.IndexReader, n int) (err error) {
	g := &r.walk.Groups[n]
	if g.Head.ID, err = reader.ExternalID(g.Head.IndexInternalID); err != nil {
		return err
	}
	for i := range g.Members {
		m := &g.Members[i]
		if m.ID, err = reader.ExternalID(m.IndexInternalID); err != nil {
			return err
		}
	}
	return nil
}
