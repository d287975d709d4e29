package hits

import (
	"context"
	"maps"
	"slices"

	"github.com/blevesearch/bleve/v2"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Near returns all hits that are near-duplicates of any of the signatures, wherever they
// rank, in rank order, without the hits that skip names: what is looked up in the index, as far as it
// matches the request. It returns false if they cannot all be found, since a part of the index is
// remote or not of type neardup, or the order is not of hits alone, or there are more than
// most. If they might be shown, they have what the caller wants to know of such hits.
func (h *Hits) Near(ctx context.Context, of []*signature.Signature, skip map[Place]bool, shown bool, most int) ([]stored.Hit, bool, error) {
	names, all, err := h.nearIDs(ctx, of, skip, most)
	if !all || err != nil {
		return nil, false, err
	}
	r := among(h.caller)
	r.Sort = h.request.Sort
	if shown {
		r.Fields, r.Highlight = h.caller.Fields, h.caller.Highlight
		r.Explain, r.IncludeLocations = h.caller.Explain, h.caller.IncludeLocations
	}
	hits, err := h.named(ctx, r, slices.Collect(maps.Keys(names)))
	return hits, true, err
}

// HasNear reports whether Near finds all hits that are near-duplicates of any of the signatures. It makes no search.
func (h *Hits) HasNear(ctx context.Context, of []*signature.Signature, most int) (bool, error) {
	_, all, err := h.nearIDs(ctx, of, nil, most)
	return all, err
}

// nearIDs returns the ids of what Near looks up, and whether these are all.
func (h *Hits) nearIDs(ctx context.Context, of []*signature.Signature, skip map[Place]bool, most int) (map[string]bool, bool, error) {
	if h.fusion || HasKNN(h.caller) {
		return nil, false, nil
	}
	f := nearIDs{Options: &h.options, most: most, ctx: ctx, of: of, skip: skip, ids: make(map[string]bool)}
	local := len(of) == 0 || visit(h.index, f.in)
	return f.ids, local && f.err == nil && !f.unknown && len(f.ids) <= f.most, f.err
}

// nearIDs has the ids of documents that are near-duplicates of signatures.
type nearIDs struct {
	*Options
	ctx     context.Context
	of      []*signature.Signature
	skip    map[Place]bool
	ids     map[string]bool
	most    int  // ids
	unknown bool // an index has no lookup
	err     error
}

// in looks into one index.
func (f *nearIDs) in(x bleve.Index, inner index.Index) {
	if f.unknown || f.err != nil {
		return
	}
	reader, err := inner.Reader()
	if err != nil || column.Nil(reader) { // closed
		f.unknown = true
		return
	}
	defer reader.Close()
	signatures := column.Of(reader, f.Field)
	if signatures == nil {
		f.unknown = true
		return
	}
	lookup, err := signatures.Lookup(f.ctx, f.Rule, table.Plan{}, "")
	if err != nil {
		f.err = err
		return
	}
	var probe table.Probe
	for _, sig := range f.of {
		probe.Prepare(f.Rule, table.Plan{}, sig, 0)
		lookup.Near(&probe, func(doc uint64) bool { return f.add(x.Name(), reader, doc) })
	}
}

// add adds the id of a document, and reports whether there is room for more.
func (f *nearIDs) add(name string, reader index.IndexReader, doc uint64) bool {
	id, err := reader.ExternalID(column.Number(doc))
	if err != nil {
		f.err = err
		return false
	}
	if !f.skip[Place{name, id}] {
		f.ids[id] = true
	}
	return len(f.ids) <= f.most && f.ctx.Err() == nil
}
