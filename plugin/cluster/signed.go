package cluster

import (
	"context"
	"slices"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/parts"
)

// signed is a copy whose hits get their signatures from memory. To read one stored field from disk,
// bleve decompresses everything that is stored with a document.
type signed struct {
	inner
	field string
}

// SearchInContext implements bleve.Index.
func (s *signed) SearchInContext(ctx context.Context, r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	if parts.In(ctx) != nil {
		return collapse.Part(s.inner).SearchInContext(ctx, r)
	}
	name := signature.SketchField(s.field)
	if !slices.Contains(r.Fields, name) || slices.Contains(r.Fields, "*") {
		return s.inner.SearchInContext(ctx, r)
	}
	own := *r
	own.Fields = slices.DeleteFunc(slices.Clone(r.Fields), func(f string) bool { return f == name })
	res, err := s.inner.SearchInContext(ctx, &own)
	if err != nil {
		return nil, err
	}
	if res.Request = r; len(res.Hits) == 0 {
		return res, nil
	}
	x, err := s.inner.Advanced()
	if err != nil {
		return nil, err
	}
	reader, err := x.Reader()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	known := column.Of(reader, s.field)
	if known == nil {
		return s.inner.SearchInContext(ctx, r)
	}
	for _, hit := range res.Hits {
		id, err := reader.InternalID(hit.ID)
		if err != nil {
			return nil, err
		}
		if id == nil {
			continue // deleted meanwhile
		}
		sig, err := known.Signature(id.Value())
		if err != nil || sig == nil {
			return s.inner.SearchInContext(ctx, r) // which says what is wrong with it
		}
		text, err := sig.MarshalText()
		if err != nil {
			return nil, err
		}
		hit.AddFieldValue(name, string(text))
	}
	return res, nil
}
