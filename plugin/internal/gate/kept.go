package gate

import (
	"encoding/json"
	"errors"
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

	// Bare says that Policy had a function PreferFunc, which cannot be kept: documents are errors
	// until it is set again. Encode finds that out by itself.
	Bare bool

	// Settings is the policy of the index's settings whose place Policy has taken, nil if
	// there was none.
	Settings *admission.Policy
}

// kept is the stored form of Kept.
type kept struct {
	Version  int               `json:"version"`
	Policy   *admission.Policy `json:"policy"`
	Prefer   bool              `json:"prefer,omitempty"` // the policy has a function PreferFunc
	Settings *admission.Policy `json:"settings,omitempty"`
}

// errBare is the error of documents under a policy that was kept without its function.
var errBare = errors.New("admission: policy: the policy needs its function PreferFunc, which an index cannot keep: call SetPolicy after opening the index")

// Encode returns the stored form.
func (k Kept) Encode() ([]byte, error) {
	form := kept{Version: keptVersion, Policy: k.Policy, Settings: k.Settings}
	form.Prefer = k.Policy != nil && (k.Policy.PreferFunc != nil || k.Bare)
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
	return Kept{Policy: form.Policy, Bare: form.Policy != nil && form.Prefer, Settings: form.Settings}, nil
}
