package indextype

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/util"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// PolicyKey is the name of an admission.Policy among the settings that bleve.NewUsing
// keeps with an index and bleve.OpenUsing is given: as JSON, or as what JSON becomes.
//
// SetPolicy takes the place of the policy in the settings, also when the index is opened
// again with the same ones. A policy in settings that differ from those takes the place of
// what SetPolicy kept, for as long as the index is open.
const PolicyKey = "neardup_admission"

// policies is what an index knows of its policy beside the one in force, which its gate
// has.
type policies struct {
	settings *admission.Policy // nil if the settings have none
	kept     []byte            // the internal value, nil if there is none
}

// policyOf reads the policy of an index's settings, nil if there is none.
func policyOf(config map[string]any) (*admission.Policy, error) {
	v, ok := config[PolicyKey]
	if !ok {
		return nil, nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("neardup: %s: %w", PolicyKey, err)
	}
	return admission.ParsePolicy(data)
}

func (x *Index) openPolicy() error {
	reader, err := x.Scorch.Reader()
	if err != nil {
		return err
	}
	defer reader.Close()
	value, err := reader.GetInternal([]byte(gate.PolicyKey))
	if err != nil {
		return err
	}
	x.policies.kept = bytes.Clone(value)
	policy, bare := x.policies.settings, false
	if x.policies.kept != nil {
		kept, err := gate.ParseKept(x.policies.kept)
		if err != nil {
			return err
		}
		if policy == nil || same(policy, kept.Settings) {
			policy, bare = kept.Policy, kept.Bare
		}
	}
	m, err := reader.GetInternal(util.MappingInternalKey)
	if err != nil {
		return err
	}
	if err := judges(policy, m); err != nil {
		return err
	}
	return x.gate.SetPolicy(policy, bare)
}

// same reports whether two policies are equal, or both nil.
func same(a, b *admission.Policy) bool {
	one, err1 := json.Marshal(a)
	two, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && bytes.Equal(one, two)
}

// judges returns an error if a mapping, as JSON, fingerprints no field of a policy's name.
// What is no mapping, or none yet, is for bleve to tell.
func judges(p *admission.Policy, data []byte) error {
	m := mapping.NewIndexMapping()
	if p == nil || data == nil || json.Unmarshal(data, m) != nil {
		return nil
	}
	if _, err := neardup.Of(m, p.FieldName()); err != nil {
		return fmt.Errorf("neardup: admission policy: %w", err)
	}
	return nil
}

// Policy is the policy in force, nil if there is none. It must not be changed.
func (x *Index) Policy() *admission.Policy { return x.gate.Policy() }

// Marks returns the marks of the index, in the order of their names, expired ones as well.
func (x *Index) Marks() ([]admission.Mark, error) { return x.gate.Marks() }

// SetPolicy puts p in force for what is written from now on, and keeps it in the index;
// nil accepts everything. Writes that have begun end under the policy before; SetPolicy
// waits for them. It returns an error if p is not valid, if it cannot be kept, or if ctx is
// done before the writes have ended; then the policy before stays in force.
func (x *Index) SetPolicy(ctx context.Context, p *admission.Policy) error {
	if ctx == nil {
		return errors.New("neardup: wanted a context, got nil")
	}
	if p != nil {
		if err := p.Validate(); err != nil {
			return err
		}
	}
	leave, err := x.gate.Enter(ctx, true)
	if err != nil {
		return err
	}
	defer leave()
	b, value := index.NewBatch(), []byte(nil)
	if p == nil && x.policies.settings == nil {
		b.DeleteInternal([]byte(gate.PolicyKey))
	} else {
		if value, err = (gate.Kept{Policy: p, Settings: x.policies.settings}).Encode(); err != nil {
			return err
		}
		b.SetInternal([]byte(gate.PolicyKey), value)
	}
	if !bytes.Equal(value, x.policies.kept) {
		if err := x.write(b); err != nil {
			return err
		}
		x.policies.kept = value
	}
	return x.gate.SetPolicy(p, false)
}

// errPolicyKey is the error of a batch that writes the policy by itself.
var errPolicyKey = errors.New("neardup: internal value " + gate.PolicyKey + ": wanted SetPolicy to write it, got a batch that does")

// ruling reports whether a batch writes what its index judges by.
func (x *Index) ruling(internal map[string][]byte) (bool, error) {
	marks := false
	for key, value := range internal {
		switch {
		case key == gate.PolicyKey:
			return false, errPolicyKey
		case key == string(util.MappingInternalKey):
			if err := judges(x.gate.Policy(), value); err != nil {
				return false, err
			}
		case strings.HasPrefix(key, gate.MarkPrefix):
			marks = true
		}
	}
	return marks, nil
}
