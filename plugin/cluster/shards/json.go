package shards

import (
	"encoding/json"

	"github.com/neardup/bleve-neardup/internal/strict"
)

// outcomeJSON hides the id of an Outcome.
type outcomeJSON struct {
	ID strict.ID `json:"id"`
	*plainOutcome
}

type plainOutcome Outcome

// MarshalJSON implements json.Marshaler.
func (o Outcome) MarshalJSON() ([]byte, error) {
	return strict.Marshal(outcomeJSON{strict.ID(o.ID), (*plainOutcome)(&o)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (o *Outcome) UnmarshalJSON(data []byte) error {
	read := outcomeJSON{plainOutcome: new(plainOutcome)}
	err := json.Unmarshal(data, &read)
	*o = Outcome(*read.plainOutcome)
	o.ID = string(read.ID)
	return err
}
