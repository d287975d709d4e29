package similar

import (
	"encoding/json"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/resemblance"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/ids"
)

type hitJSON struct {
	Index string `json:"index,omitempty"`
	ID    ids.ID `json:"id"`
	signature.Match
	Verified    bool                 `json:"verified,omitempty"`
	Resemblance resemblance.Estimate `json:"resemblance"`
	InHit       resemblance.Estimate `json:"in_hit"`
	OfHit       resemblance.Estimate `json:"of_hit"`
	Fields      map[string]any       `json:"fields,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (h Hit) MarshalJSON() ([]byte, error) {
	return ids.Marshal(hitJSON{h.Index, ids.ID(h.ID), h.Match, h.Verified, h.Resemblance, h.InHit, h.OfHit, ids.Fields(h.Fields)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (h *Hit) UnmarshalJSON(data []byte) error {
	var v hitJSON
	err := json.Unmarshal(data, &v)
	*h = Hit{collapse.Ref{Index: v.Index, ID: string(v.ID)}, v.Match, v.Verified, v.Resemblance, v.InHit, v.OfHit, ids.Unfields(v.Fields)}
	return err
}
