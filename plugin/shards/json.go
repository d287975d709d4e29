package shards

import (
	"encoding/json"
	"fmt"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/internal/ids"
)

// searchRequest is bleve's request with keys that need not be UTF-8, as they end with an id.
// Members that bleve does not know of have those that JSON would change.
type searchRequest struct{ *bleve.SearchRequest }

type keysJSON struct {
	After  []ids.ID `json:"neardup_after,omitempty"`
	Before []ids.ID `json:"neardup_before,omitempty"`
}

// MarshalJSON returns an error for a query that JSON would make another one of.
func (r searchRequest) MarshalJSON() ([]byte, error) {
	own := *r.SearchRequest
	var keys keysJSON
	if !ids.Valid(own.SearchAfter...) {
		keys.After, own.SearchAfter = ids.Of(own.SearchAfter), nil
	}
	if !ids.Valid(own.SearchBefore...) {
		keys.Before, own.SearchBefore = ids.Of(own.SearchBefore), nil
	}
	body, err := ids.Marshal(struct {
		*bleve.SearchRequest
		keysJSON
	}{&own, keys})
	if err == nil && !ids.Kept(body) {
		err = fmt.Errorf("request: wanted names and words in UTF-8, got other bytes, which bleve's JSON does not hold")
	}
	return body, err
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *searchRequest) UnmarshalJSON(data []byte) error {
	r.SearchRequest = new(bleve.SearchRequest)
	var keys keysJSON
	if err := json.Unmarshal(data, r.SearchRequest); err != nil {
		return err
	}
	if err := json.Unmarshal(data, &keys); err != nil {
		return err
	}
	if keys.After != nil {
		r.SearchAfter = ids.Strings(keys.After)
	}
	if keys.Before != nil {
		r.SearchBefore = ids.Strings(keys.Before)
	}
	return nil
}

// verdictJSON hides the id of a Verdict.
type verdictJSON struct {
	ID ids.ID `json:"id"`
	*plainVerdict
}

type plainVerdict Verdict

// MarshalJSON implements json.Marshaler.
func (v Verdict) MarshalJSON() ([]byte, error) {
	return ids.Marshal(verdictJSON{ids.ID(v.ID), (*plainVerdict)(&v)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *Verdict) UnmarshalJSON(data []byte) error {
	read := verdictJSON{plainVerdict: new(plainVerdict)}
	err := json.Unmarshal(data, &read)
	*v = Verdict(*read.plainVerdict)
	v.ID = string(read.ID)
	return err
}
