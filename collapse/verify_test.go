package collapse_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/plugin"
)

// afar is an index of which nothing but searches can be had.
type afar struct{ anyIndex }

type anyIndex = bleve.Index

func (afar) Mapping() mapping.IndexMapping      { return nil }
func (afar) Advanced() (index.Index, error)     { return nil, errors.New("afar") }
func (afar) GetInternal([]byte) ([]byte, error) { return nil, errors.New("afar") }

func (a afar) Search(r *bleve.SearchRequest) (*bleve.SearchResult, error) {
	return a.SearchInContext(context.Background(), r)
}

func TestVerifyWrong(t *testing.T) {
	t.Parallel()
	mapping := bleve.NewIndexMapping()
	plugin.AddSignature(mapping.DefaultMapping, "body")
	x, err := plugin.New("", mapping)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	v := signature.Verify{Resemblance: .8}
	for want, o := range map[string]collapse.Options{
		"verify: resemblance: wanted 0.3 to 1, or 0, got 2": {Verify: signature.Verify{Resemblance: 2}},
		"verify cannot be combined with by unless or":       {Verify: v, By: &collapse.By{Field: "a"}},
	} {
		if _, err := collapse.Search(context.Background(), x, bleve.NewSearchRequest(bleve.NewMatchAllQuery()), o); !errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
	for _, far := range []bleve.Index{afar{x}, bleve.NewIndexAlias(x, afar{x})} {
		_, err := collapse.Search(t.Context(), far, byID(bleve.NewMatchAllQuery()), collapse.Options{Verify: v})
		if !errors.Is(err, collapse.ErrRequest) || !strings.Contains(err.Error(), "verify needs a local index") {
			t.Errorf("a remote index: got error %v", err)
		}
	}
}
