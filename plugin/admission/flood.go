package admission

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Flood says how many near-copies are too many.
type Flood struct {
	// Copies is how many near-duplicates of each other, including the first, can be written
	// within Window.
	Copies int

	// Window is the time within which copies count, before and after the document's own
	// time. In JSON it is a string like "24h".
	Window time.Duration

	// Action is what happens to further copies, Reject if empty.
	Action Action
}

// floodJSON is the JSON of a Flood.
type floodJSON struct {
	Copies int    `json:"copies"`
	Window string `json:"window"`
	Action Action `json:"action,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (f Flood) MarshalJSON() ([]byte, error) {
	return json.Marshal(floodJSON{f.Copies, f.Window.String(), f.Action})
}

// UnmarshalJSON implements json.Unmarshaler. Unknown members are errors.
func (f *Flood) UnmarshalJSON(data []byte) error {
	var read floodJSON
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(&read)
	if err != nil {
		return fmt.Errorf("flood: %w", err)
	}
	*f = Flood{Copies: read.Copies, Action: read.Action}
	if read.Window != "" {
		if f.Window, err = time.ParseDuration(read.Window); err != nil {
			return fmt.Errorf("flood: window: %w", err)
		}
	}
	return nil
}
