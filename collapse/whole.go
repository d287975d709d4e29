package collapse

import (
	"context"
	"fmt"
	"runtime/trace"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"
)

// The whole form of Search is a search for a Query. What the groups are, which
// bleve's result has no place for, the searcher leaves in a report that the context
// carries.

// report is what the searcher of one Query found out.
type report struct {
	query  *Query
	reader index.IndexReader
	walk   *walk // of matches that are neither lonely nor counted
	count  count
	detail func(hits search.DocumentMatchCollection) error // walks the families of hits
}

type reportKey struct{}

// fill is called once the matches are grouped. The reader is kept open, so that the
// members' ids can be read; that of an index other than scorch cannot be, and all ids
// are read at once.
func (r *report) fill(reader index.IndexReader, w *walk, c count, detail func(search.DocumentMatchCollection) error) error {
	if r.walk != nil {
		return nil
	}
	r.walk, r.count, r.detail = w, c, detail
	if counted, ok := reader.(interface{ AddRef() }); ok {
		counted.AddRef()
		r.reader = reader
		return nil
	}
	for n := range w.groups {
		if err := r.ids(reader, n); err != nil {
			return err
		}
	}
	return nil
}

// searchWhole answers a request by a Query.
func searchWhole(ctx context.Context, x bleve.Index, request *bleve.SearchRequest, o Options) (*Result, error) {
	if _, err := x.Advanced(); err != nil {
		return nil, invalid{fmt.Errorf("collapse: whole: wanted one index, since each would be collapsed for itself, got several: %w", err)}
	}
	order := ranking(request.Sort)
	q := NewQuery(request.Query, QueryOptions{
		Field: o.Field, Rule: o.Rule, Head: order.Copy(), Visible: o.Visible, Missing: o.Missing, Most: o.Budget,
		AllowUnsigned: true, // Search has asked
	})
	found := &report{query: q}
	defer found.close()
	res, err := found.search(ctx, x, request, order, o.Field)
	if err != nil {
		return nil, err
	}
	res.Request = request
	for _, hit := range res.Hits {
		stripFields(hit, request.Fields)
		stripKey(hit, len(order))
	}
	result := &Result{SearchResult: res, Groups: []Group{}, TotalGroupsRelation: Exact}
	if found.walk == nil { // nothing was asked of the searcher
		result.TotalGroupsRelation = AtLeast
		return result, nil
	}
	if err := found.tell(x.Name(), result); err != nil {
		return nil, err
	}
	if result.Foreign > 0 {
		result.tellForeign(map[string]int{x.Name(): result.Foreign})
	}
	return result, complete(ctx, x, request, o, result)
}

// search answers request by the report's query, in the order of the ids where hits
// tie.
func (r *report) search(ctx context.Context, x bleve.Index, request *bleve.SearchRequest, order search.SortOrder, field string) (*bleve.SearchResult, error) {
	asked := *request
	asked.Query = r.query
	ctx = context.WithValue(ctx, reportKey{}, r)
	if asked.SearchAfter == nil && asked.SearchBefore == nil && asked.Size > 0 {
		src, err := newSource(x, field, request)
		if err != nil {
			return nil, err
		}
		defer src.close()
		if l := rankable(ctx, src, &asked, order); l != nil {
			if res, err := l.page(ctx, &asked, order); res != nil || err != nil {
				return res, err
			}
			r.close()
			*r = report{query: r.query}
		}
	}
	asked.Sort = byIDAtLast(order)
	asked.SearchAfter, asked.SearchBefore = keys(request, asked.Sort)
	defer trace.StartRegion(ctx, "collapse.bleve").End()
	return x.SearchInContext(ctx, &asked)
}

// close lets go of the snapshot.
func (r *report) close() {
	if r.reader != nil {
		r.reader.Close()
	}
}

// byIDAtLast returns order with "_id" as its last part, if it is not among them.
func byIDAtLast(order search.SortOrder) search.SortOrder {
	if slices.ContainsFunc(order, func(k search.SearchSort) bool { _, ok := k.(*search.SortDocID); return ok }) {
		return order
	}
	return append(order.Copy(), &search.SortDocID{})
}

// tell fills in what the page's groups are. name is the index's, of hits that are not
// on the page.
func (r *report) tell(name string, result *Result) error {
	w := r.walk
	if len(result.Hits) > 0 {
		name = result.Hits[0].Index
	}
	for i := range w.damaged {
		w.damaged[i].Index = name
	}
	result.TotalGroups = len(w.heads) + r.count.groups + r.count.lonely
	result.Hidden, result.Unsigned, result.Foreign, result.Damaged = len(w.apart)+r.count.hidden, w.unsigned, w.foreign, w.damaged
	if r.count.groups > 0 {
		if err := r.detail(result.Hits); err != nil {
			return err
		}
	}
	of := r.groupsOf(result.Hits)
	told := make(map[int]bool)
	for _, hit := range result.Hits {
		n, ok := of[string(hit.IndexInternalID)]
		switch {
		case !ok:
			result.Groups = append(result.Groups, Group{Head: refOf(hit)})
			continue
		case told[n]:
			continue
		}
		told[n] = true
		if err := r.name(hit.Index, n); err != nil {
			return err
		}
		if w.groups[n].Head == refOf(hit) {
			result.Groups = append(result.Groups, w.groups[n])
		} else {
			result.Earlier = append(result.Earlier, w.groups[n])
		}
	}
	return nil
}

// groupsOf returns the groups of hits, by their numbers; those of lonely hits are not
// among them.
func (r *report) groupsOf(hits search.DocumentMatchCollection) map[string]int {
	wanted := make(map[string]bool, len(hits))
	for _, hit := range hits {
		wanted[string(hit.IndexInternalID)] = true
	}
	of := make(map[string]int, len(hits))
	for n, head := range r.walk.heads {
		if wanted[string(head.hit.IndexInternalID)] {
			of[string(head.hit.IndexInternalID)] = n
		}
		for i := range r.walk.groups[n].Members {
			if id := r.walk.groups[n].Members[i].Hit.IndexInternalID; wanted[string(id)] {
				of[string(id)] = n
			}
		}
	}
	return of
}

// name completes what is told of a group.
func (r *report) name(index string, n int) error {
	if r.reader != nil {
		if err := r.ids(r.reader, n); err != nil {
			return err
		}
	}
	r.walk.overlap(n)
	g := &r.walk.groups[n]
	g.Head.Index = index
	for i := range g.Members {
		m := &g.Members[i]
		m.Index, m.Hit.Index = index, index
	}
	return nil
}

// ids reads the ids of a group.
func (r *report) ids(reader index.IndexReader, n int) (err error) {
	g := &r.walk.groups[n]
	if g.Head.ID, err = reader.ExternalID(r.walk.heads[n].hit.IndexInternalID); err != nil {
		return err
	}
	for i := range g.Members {
		m := &g.Members[i]
		if m.ID, err = reader.ExternalID(m.Hit.IndexInternalID); err != nil {
			return err
		}
		m.Hit.ID = m.ID
	}
	return nil
}
