package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/collapse"
)

// Request is bleve's search request with one more member in its JSON, "collapse",
// which holds collapse.Options:
//
//	{"query": {"match": "fox"}, "size": 20, "collapse": {"mode": "drop", "visible": 2}}
//
// Without it, or if it is null, the mode is Off. Members that neither bleve nor
// collapse.Options know are errors: bleve alone would pass over them.
type Request struct {
	*bleve.SearchRequest
	Collapse *collapse.Options
}

// Search answers r on index, as collapse.Search does.
func (r *Request) Search(ctx context.Context, index bleve.Index) (*collapse.Result, error) {
	o := collapse.Options{Mode: collapse.Off}
	if r.Collapse != nil {
		o = *r.Collapse
	}
	return collapse.Search(ctx, index, r.SearchRequest, o)
}

// MarshalJSON writes bleve's request with the member "collapse".
func (r *Request) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(r.SearchRequest)
	if err != nil || r.SearchRequest == nil || r.Collapse == nil {
		return data, err
	}
	options, err := json.Marshal(r.Collapse)
	if err != nil {
		return nil, err
	}
	return slices.Concat(data[:len(data)-1], []byte(`,"collapse":`), options, []byte("}")), nil
}

// members are those of bleve's request.
var members = func() map[string]bool {
	all := make(map[string]bool)
	t := reflect.TypeFor[bleve.SearchRequest]()
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" {
			all[name] = true
		}
	}
	return all
}()

// UnmarshalJSON reads what MarshalJSON writes.
func (r *Request) UnmarshalJSON(data []byte) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		if errors.As(err, new(*json.UnmarshalTypeError)) {
			return errors.New("collapse: request: wanted a JSON object, got another value")
		}
		return fmt.Errorf("collapse: request: %w", err)
	}
	if all["query"] == nil {
		return errors.New("collapse: request: wanted a member query, got none")
	}
	v := Request{SearchRequest: new(bleve.SearchRequest)}
	if options := all["collapse"]; options != nil && string(options) != "null" {
		v.Collapse = new(collapse.Options)
		if err := json.Unmarshal(options, v.Collapse); err != nil {
			return err
		}
	}
	delete(all, "collapse")
	for name := range all {
		if !members[name] {
			return fmt.Errorf("collapse: request: wanted members among %q and \"collapse\", got %q", slices.Sorted(maps.Keys(members)), name)
		}
	}
	if err := json.Unmarshal(data, v.SearchRequest); err != nil {
		return fmt.Errorf("collapse: request: %w", err)
	}
	*r = v
	return nil
}
