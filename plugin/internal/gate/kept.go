package gate

import (
	"encoding/json"
	"fmt"

	"github.com/neardup/bleve-neardup/internal/strict"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// PolicyKey is the key, among the internal values of an index, under which it keeps the
// policy that is in force.
const PolicyKey = "neardup/policy"

// keptVersion is the version of the stored form of Kept.
const keptVersion = 1

// Kept is a policy as an index keeps it.
type Kept struct {
	// Policy is nil if none is in force.
	Policy *admission.Policy

	// Settings is the policy of the index's settings whose place Policy has taken, nil if
	// there was none.
	Settings *admission.Policy
}

// kept is the stored form of Kept.
type kept struct {
	Version  int               `json:"version"`
	Policy   *admission.Policy `json:"policy"`
	Settings *admission.Policy `json:"settings,omitempty"`
}

// Encode returns the stored form.
func (k Kept) Encode() ([]byte, error) {
	return json.Marshal(kept{Version: keptVersion, Policy: k.Policy, Settings: k.Settings})
}

// ParseKept reads what Encode wrote. What it does not know is an error: a policy that is
// read in part accepts what it should not.
func ParseKept(data []byte) (Kept, error) {
	var version struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return Kept{}, fmt.Errorf("admission: policy kept in the index: %w", err)
	}
	if version.Version != keptVersion {
		return Kept{}, fmt.Errorf("admission: policy kept in the index: version: wanted %d, got %d", keptVersion, version.Version)
	}
	var form kept
	if err := strict.Decode(data, &form); err != nil {
		return Kept{}, fmt.Errorf("admission: policy kept in the index: %w", err)
	}
	for _, p := range []*admission.Policy{form.Policy, form.Settings} {
		if p != nil {
			if err := p.Validate(); err != nil {
				return Kept{}, fmt.Errorf("policy kept in the index: %w", err)
			}
		}
	}
	return Kept{Policy: form.Policy, Settings: form.Settings}, nil
}
