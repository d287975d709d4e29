package shards

import (
	"encoding/json"

	"github.com/neardup/bleve-neardup/internal/ids"
)

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
