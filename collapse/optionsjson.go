package collapse

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// UnmarshalJSON fills o from JSON; unknown members are errors, and so are values
// that Search would refuse.
func (o *Options) UnmarshalJSON(data []byte) error {
	type plain Options
	var v plain
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		return fmt.Errorf("collapse: options: %w", err)
	}
	if _, err := Options(v).filled(); err != nil {
		return err
	}
	*o = Options(v)
	return nil
}
