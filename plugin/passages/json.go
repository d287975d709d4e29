package passages

import (
	"encoding/json"

	"github.com/neardup/bleve-neardup/analysis/signature/resemblance"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/ids"
)

type hitJSON struct {
	Index    string               `json:"index,omitempty"`
	ID       ids.ID               `json:"id"`
	Verified bool                 `json:"verified"`
	InHit    resemblance.Estimate `json:"in_hit"`
	OfHit    resemblance.Estimate `json:"of_hit"`
	Words    int                  `json:"words,omitempty"`
	Given    []Span               `json:"given,omitempty"`
	Own      []Span               `json:"own,omitempty"`
	Passages []Passage            `json:"passages,omitempty"`
	Fields   map[string]any       `json:"fields,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (h Hit) MarshalJSON() ([]byte, error) {
	return ids.Marshal(hitJSON{h.Index, ids.ID(h.ID), h.Verified, h.InHit, h.OfHit, h.Words, h.Given, h.Own, h.Passages, ids.Fields(h.Fields)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (h *Hit) UnmarshalJSON(data []byte) error {
	var v hitJSON
	err := json.Unmarshal(data, &v)
	*h = Hit{collapse.Ref{Index: v.Index, ID: string(v.ID)}, v.Verified, v.InHit, v.OfHit, v.Words, v.Given, v.Own, v.Passages, ids.Unfields(v.Fields)}
	return err
}
