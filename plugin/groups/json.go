package groups

import (
	"encoding/json"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/ids"
	"github.com/neardup/bleve-neardup/internal/strict"
)

// UnmarshalJSON fills o from JSON; unknown members are errors. All finds values that are wrong.
func (o *Options) UnmarshalJSON(data []byte) error {
	type plain Options
	return strict.Fill("groups: options", data, (*plain)(o))
}

type documentJSON struct {
	Index  string `json:"index,omitempty"`
	ID     ids.ID `json:"id"`
	Tokens uint64 `json:"tokens"`
}

type memberJSON struct {
	documentJSON
	signature.Match
	Verified    bool    `json:"verified,omitempty"`
	Resemblance float64 `json:"resemblance"`
}

func (d Document) json() documentJSON { return documentJSON{d.Index, ids.ID(d.ID), d.Tokens} }

func (d documentJSON) document() Document { return Document{d.Index, string(d.ID), d.Tokens} }

// MarshalJSON implements json.Marshaler.
func (d Document) MarshalJSON() ([]byte, error) { return ids.Marshal(d.json()) }

// UnmarshalJSON implements json.Unmarshaler.
func (d *Document) UnmarshalJSON(data []byte) error {
	var v documentJSON
	err := json.Unmarshal(data, &v)
	*d = v.document()
	return err
}

// MarshalJSON implements json.Marshaler.
func (m Member) MarshalJSON() ([]byte, error) {
	return ids.Marshal(memberJSON{m.json(), m.Match, m.Verified, m.Resemblance})
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *Member) UnmarshalJSON(data []byte) error {
	var v memberJSON
	err := json.Unmarshal(data, &v)
	*m = Member{v.document(), v.Match, v.Verified, v.Resemblance}
	return err
}
