package hits

import (
	"context"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/parts"
)

// bleve's hits of a remote index have stored fields, and no doc values. So where values group
// hits, each search asks its parts for them, even one that no part can answer better than bleve:
// for the hits after a key, or of some ids.

// Plain answers r as bleve does, with the signatures and values of the hits.
func Plain(ctx context.Context, x bleve.Index, field string, by fields.Options, r *bleve.SearchRequest) (*bleve.SearchResult, []parts.Hit, error) {
	src, err := newSource(&Watched{anyIndex: x}, &Options{Field: field, Fields: by}, r)
	if err != nil {
		return nil, nil, err
	}
	defer src.close()
	asked := *r
	res, err := src.search(ctx, &asked)
	if err != nil {
		return nil, nil, err
	}
	hits, err := known(src, by, res.Hits)
	if err == nil {
		err = src.load(ctx, res.Hits)
	}
	return res, hits, err
}
