package admission

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/neardup/bleve-neardup/internal/strict"
)

// Flood says how many near-copies are too many.
//
//	{"copies": 3, "window": "24h"}                                  three copies in a day
//	{"copies": 20, "window": "1h", "distinct": "sender"}            from 20 senders in an hour
//	{"copies": 20, "window": "24h", "same": "sender", "action": "tag"}  20 of one sender in a day
type Flood struct {
	// Copies is how many near-duplicates of each other, including the first, can be written
	// within Window.
	Copies int

	// Window is the time within which copies count, before and after the document's own
	// time. In JSON it is a string like "24h".
	Window time.Duration

	// Distinct is the name of an indexed field, such as the sender, the host or the account. If it
	// is set, copies with the same value count once, and a document is one too many if copies with
	// Copies other values are there. Documents without the field have one value in common. A value
	// is all terms that the index has of the field: use the analyzer keyword.
	Distinct string

	// Same is the name of an indexed field. If it is set, only copies with the document's own value
	// count.
	Same string

	// Action is what happens to further copies, Reject if empty.
	Action Action
}

// floodJSON is the JSON of a Flood.
type floodJSON struct {
	Copies   int    `json:"copies"`
	Window   string `json:"window"`
	Distinct string `json:"distinct,omitempty"`
	Same     string `json:"same,omitempty"`
	Action   Action `json:"action,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (f Flood) MarshalJSON() ([]byte, error) {
	return json.Marshal(floodJSON{f.Copies, f.Window.String(), f.Distinct, f.Same, f.Action})
}

// UnmarshalJSON implements json.Unmarshaler. Unknown members are errors.
func (f *Flood) UnmarshalJSON(data []byte) error {
	var read floodJSON
	err := strict.Decode(data, &read)
	if err != nil {
		return fmt.Errorf("flood: %w", err)
	}
	*f = Flood{Copies: read.Copies, Distinct: read.Distinct, Same: read.Same, Action: read.Action}
	if read.Window != "" {
		if f.Window, err = time.ParseDuration(read.Window); err != nil {
			return fmt.Errorf("flood: window: %w", err)
		}
	}
	return nil
}

// validate returns an error that names what is wrong with the flood of that name.
func (f *Flood) validate(name string) error {
	switch {
	case f.Copies < 1:
		return fmt.Errorf("admission: %s: copies: wanted 1 or more, got %d", name, f.Copies)
	case f.Window <= 0:
		return fmt.Errorf("admission: %s: window: wanted a time above 0, got %v", name, f.Window)
	case f.Distinct != "" && f.Distinct == f.Same:
		return fmt.Errorf("admission: %s: distinct: wanted another field than same, got %q for both: its values are never distinct", name, f.Same)
	}
	return nil
}
