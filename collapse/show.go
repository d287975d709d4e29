package collapse

import (
	"context"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search"
)

// loads reports whether r asks for what has to be loaded for each hit.
func loads(r *bleve.SearchRequest) bool { return len(r.Fields) > 0 || r.Highlight != nil }

// load loads what the caller wants of the visible hits: the others are not likely to be
// shown.
func (s *scan) load(ctx context.Context, all []rankedHit) error {
	if !loads(s.caller) {
		return nil
	}
	visible := make(map[*search.DocumentMatch]bool, len(s.walk.hits))
	for _, hit := range s.walk.hits {
		visible[hit] = true
	}
	for i := range all {
		if all[i].bare = !visible[all[i].DocumentMatch]; all[i].bare {
			all[i].Fields, all[i].Fragments = nil, nil
		}
	}
	return s.show(ctx, s.walk.hits)
}

// show loads what the caller wants of hits, if it is not there.
func (s *scan) show(ctx context.Context, hits search.DocumentMatchCollection) error {
	if !loads(s.caller) {
		return nil
	}
	for _, hit := range hits {
		if err := s.source.show(hit); err != nil {
			return err
		}
	}
	from, ok := s.source.(*stored)
	if !ok {
		return nil
	}
	var refs []Ref
	bare := map[Ref]*search.DocumentMatch{}
	for _, hit := range hits {
		if r := from.ranked[hit]; r != nil && r.bare {
			refs, bare[refOf(hit)] = append(refs, refOf(hit)), hit
		}
	}
	r := among(s.caller)
	r.Fields, r.Highlight = s.caller.Fields, s.caller.Highlight
	loaded, err := named(ctx, from.index.SearchInContext, r, refs)
	for _, hit := range loaded {
		if b := bare[refOf(hit)]; b != nil {
			b.Fields, b.Fragments = hit.Fields, hit.Fragments
		}
	}
	return err
}
