package admission

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// PolicyKey is the key, among the internal values of an index, under which it keeps the
// policy that is in force.
const PolicyKey = "neardup/policy"

// keptVersion is that of the form of Kept.
const keptVersion = 1

// Kept is a policy as an index keeps it.
type Kept struct {
	// Policy is nil if none is in force. What it prefers by a function is not kept: read
	// again, it is a policy by which documents are errors.
	Policy *Policy

	// Settings is the policy of the index's settings whose place Policy has taken, nil if
	// there was none.
	Settings *Policy
}

// kept is the stored form of Kept.
type kept struct {
	Version  int     `json:"version"`
	Policy   *Policy `json:"policy"`
	Prefer   bool    `json:"prefer,omitempty"` // the policy has a function Prefer
	Settings *Policy `json:"settings,omitempty"`
}

// errBare is the error of documents under a policy that was kept without its function.
var errBare = errors.New("admission: policy: wanted the function Prefer, which an index cannot keep, got none: call SetPolicy after opening the index")

// Encode returns the stored form.
func (k Kept) Encode() ([]byte, error) {
	form := kept{Version: keptVersion, Policy: k.Policy, Settings: k.Settings}
	form.Prefer = k.Policy != nil && (k.Policy.Prefer != nil || k.Policy.bare)
	return json.Marshal(form)
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
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&form); err != nil {
		return Kept{}, fmt.Errorf("admission: policy kept in the index: %w", err)
	}
	for _, p := range []*Policy{form.Policy, form.Settings} {
		if p != nil {
			if err := p.Validate(); err != nil {
				return Kept{}, fmt.Errorf("policy kept in the index: %w", err)
			}
		}
	}
	if form.Policy != nil {
		form.Policy.bare = form.Prefer
	}
	return Kept{Policy: form.Policy, Settings: form.Settings}, nil
}
