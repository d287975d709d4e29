package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// Request is bleve's search request with one more member in its JSON, "collapse",
// which holds collapse.Options:
//
//	{"query": {"match": "fox"}, "size": 20, "collapse": {"complete": true, "head": ["-date"]}}
//
// Without it, or if it is null, the result is bleve's own, unless Handler.Collapse says
// otherwise; if it is false, the result is bleve's own in any case. Members that neither bleve
// nor collapse.Options know are errors: bleve alone would pass over them.
type Request struct {
	*bleve.SearchRequest
	Collapse *collapse.Options
	Plain    bool // "collapse" is false; Collapse is nil then
}

// Search answers r on index, as collapse.Search does, or as bleve does where Collapse is nil.
func (r *Request) Search(ctx context.Context, index bleve.Index) (*collapse.Result, error) {
	if r.Collapse != nil {
		return collapse.Search(ctx, index, r.SearchRequest, *r.Collapse)
	}
	if err := indexes.Check(ctx, index); err != nil {
		return nil, refused("collapse: %w", err)
	}
	if r.SearchRequest == nil || indexes.NoQuery(r.Query) {
		return nil, refused("collapse: wanted a request with a query, got none")
	}
	own := *r.SearchRequest // bleve changes what it is given
	asked := indexes.Clipped(&own)
	res, err := index.SearchInContext(ctx, asked)
	if err != nil {
		return nil, err
	}
	if res.Request == asked {
		res.Request = r.SearchRequest
	}
	return &collapse.Result{SearchResult: res}, nil
}

// MarshalJSON writes bleve's request with the member "collapse".
func (r *Request) MarshalJSON() ([]byte, error) {
	if r.SearchRequest == nil {
		return []byte("null"), nil
	}
	data, err := strict.Marshal(r.SearchRequest)
	if err != nil || r.Collapse == nil && !r.Plain {
		return data, err
	}
	options := []byte("false")
	if r.Collapse != nil {
		options, err = json.Marshal(r.Collapse)
	}
	if err != nil {
		return nil, err
	}
	return slices.Concat(data[:len(data)-1], []byte(`,"collapse":`), options, []byte("}")), nil
}

// members are the members of bleve's request.
var members = strict.Members(reflect.TypeFor[bleve.SearchRequest]())

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Request) UnmarshalJSON(data []byte) error {
	var all map[string]json.RawMessage
	if err := strict.Decode(data, &all); err != nil {
		return fmt.Errorf("collapse: request: %w", err)
	}
	if all["query"] == nil {
		return errors.New("collapse: request: wanted a member query, got none")
	}
	v := Request{SearchRequest: new(bleve.SearchRequest)}
	if err := v.readCollapse(all["collapse"]); err != nil {
		return err
	}
	var own struct {
		Params struct {
			Window *int `json:"score_window_size"`
		} `json:"params"`
	}
	if err := json.Unmarshal(data, &own); err != nil {
		return fmt.Errorf("collapse: request: %w", err)
	}
	delete(all, "collapse")
	for name := range all {
		if members[name] == nil {
			return fmt.Errorf("collapse: request: wanted members among %q and \"collapse\", got %q", slices.Sorted(maps.Keys(members)), name)
		}
	}
	if err := json.Unmarshal(data, v.SearchRequest); err != nil {
		return fmt.Errorf("collapse: request: %w", err)
	}
	if v.Collapse != nil && own.Params.Window == nil {
		v.Params = nil // bleve has made a window of the page, which would move
	}
	*r = v
	return nil
}

// readCollapse reads the member "collapse".
func (r *Request) readCollapse(data json.RawMessage) error {
	switch string(data) {
	case "", "null":
		return nil
	case "false":
		r.Plain = true
		return nil
	}
	r.Collapse = new(collapse.Options)
	return json.Unmarshal(data, r.Collapse)
}

// Parser returns a parser of custom filters that reads a collapse.Query from JSON, and leaves
// all others to next, which may be nil. bleve has a single place for such a parser,
// so it is for the application to put it there, before any query is parsed:
//
//	query.CustomFilterQueryParser = serve.Parser(query.CustomFilterQueryParser)
func Parser(next func([]byte) (query.Query, error)) func([]byte) (query.Query, error) {
	return indexes.Parser("collapse", "collapse", func(data []byte) (query.Query, error) {
		q := new(collapse.Query)
		return q, q.UnmarshalJSON(data)
	}, next)
}
