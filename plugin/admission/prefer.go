package admission

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/neardup/bleve-neardup/internal/strict"
)

// Preference is one of the things that decide which of two near-duplicates stays: either Keep, or
// Field. In JSON a Preference that is Keep alone can be a string:
//
//	"prefer": [{"field": "source", "values": ["own", "partner"]}, "longest", "newest"]
type Preference struct {
	// Keep is Newest, Oldest, Longest or Shortest.
	Keep Keep `json:"keep,omitempty"`

	// Field is the name of a stored field. The document with the greatest value there stays, by
	// number, by time, or by bytes; with Least, the one with the least. A document without the field
	// does not stay beside one that has it.
	Field string `json:"field,omitempty"`
	Least bool   `json:"least,omitempty"`

	// Values are texts that Field can have, the best first, in place of an order: any other is worse.
	Values []string `json:"values,omitempty"`
}

// UnmarshalJSON implements json.Unmarshaler. Unknown members are errors.
func (p *Preference) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte(`"`)) {
		*p = Preference{}
		return json.Unmarshal(data, &p.Keep)
	}
	type plain Preference
	var read plain
	if err := strict.Decode(data, &read); err != nil {
		return fmt.Errorf("prefer: %w", err)
	}
	*p = Preference(read)
	return nil
}

func (p *Preference) validate() error {
	keeps := []Keep{Newest, Oldest, Longest, Shortest}
	switch {
	case (p.Keep == "") == (p.Field == ""):
		return fmt.Errorf("admission: prefer: wanted either keep or field, got %q and %q", p.Keep, p.Field)
	case p.Keep != "" && !slices.Contains(keeps, p.Keep):
		return fmt.Errorf("admission: prefer: wanted one of %q, got %q", keeps, p.Keep)
	case p.Field == "" && (p.Least || p.Values != nil):
		return fmt.Errorf("admission: prefer: wanted a field for least and values, got %q", p.Keep)
	case p.Least && p.Values != nil:
		return fmt.Errorf("admission: prefer: field %q: wanted either least or values, got both", p.Field)
	}
	return nil
}
