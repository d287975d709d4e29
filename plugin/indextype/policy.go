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

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// PolicyKey is the name of an admission.Policy in the settings that bleve.NewUsing keeps with
// an index and that bleve.OpenUsing takes: an admission.Policy, or the same as decoded JSON.
//
// SetPolicy overrides the policy in the settings, also after the index is opened again with
// the same settings. If it is opened with another policy in the settings, that policy
// overrides the kept one for as long as the index is open.
const PolicyKey = "neardup_admission"

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
	policy, bare := x.settings, false
	if value != nil {
		kept, err := gate.ParseKept(value)
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

// judges returns an error if a mapping, as JSON, does not fingerprint the field of a policy.
// It returns none if there is no mapping yet, or one that cannot be read: bleve's error for
// that is the better one.
func judges(p *admission.Policy, data []byte) error {
	m := mapping.NewIndexMapping()
	if p == nil || data == nil || json.Unmarshal(data, m) != nil {
		return nil
	}
	if err := Judges(p, m); err != nil {
		return fmt.Errorf("neardup: admission policy: %w", err)
	}
	return nil
}

// Judges returns an error if the mapping m does not make what the policy p needs: a fingerprinted field,
// and with Policy.Hidden a char filter that sees what HTML hides. A nil policy needs nothing.
func Judges(p *admission.Policy, m mapping.IndexMapping) error {
	if p == nil {
		return nil
	}
	if p.Hidden != nil {
		return neardup.FieldSeesHidden(m, p.FieldName())
	}
	_, err := neardup.Of(m, p.FieldName())
	return err
}

// Policy returns the policy in force, or nil. Callers must not change it.
func (x *Index) Policy() *admission.Policy { return x.gate.Policy() }

// Marks returns the marks of the index in the order of their names, including expired ones.
func (x *Index) Marks() ([]admission.Mark, error) { return x.gate.Marks() }

// SetPolicy puts p in force for later writes and keeps it in the index. A nil policy accepts
// everything. Writes that have begun end under the old policy; SetPolicy waits for them. It
// returns an error if p is not valid, if p cannot be kept, or if ctx ends before those writes;
// then the old policy stays in force.
func (x *Index) SetPolicy(ctx context.Context, p *admission.Policy) error {
	if p != nil {
		if err := p.Validate(); err != nil {
			return err
		}
	}
	return x.setPolicy(ctx, p, false)
}

// TakePolicy puts the policy of another index in force, as SetPolicy does. If it was kept there
// without its function PreferFunc, documents are errors here, too, until it is set again.
func (x *Index) TakePolicy(ctx context.Context, from *Index) error {
	if from == nil || from.gate == nil {
		return errors.New("neardup: wanted an index to take the policy of, got nil")
	}
	p, bare := from.gate.Bare()
	return x.setPolicy(ctx, p, bare)
}

func (x *Index) setPolicy(ctx context.Context, p *admission.Policy, bare bool) error {
	encode := func() ([]byte, error) {
		if p == nil && x.settings == nil {
			return nil, nil
		}
		return gate.Kept{Policy: p, Bare: bare, Settings: x.settings}.Encode()
	}
	return x.keeper.keep(ctx, gate.PolicyKey, encode, func() error { return x.gate.SetPolicy(p, bare) })
}

// ruling reports whether a batch writes or deletes marks, by which the index judges. It
// returns an error for a batch that must not be written.
func (x *Index) ruling(internal map[string][]byte) (bool, error) {
	marks := false
	for key, value := range internal {
		if err := ownKey(key); err != nil {
			return false, err
		}
		switch {
		case key == string(util.MappingInternalKey):
			if err := errors.Join(judges(x.gate.Policy(), value), x.leaving.fits(value)); err != nil {
				return false, err
			}
		case strings.HasPrefix(key, gate.MarkPrefix):
			marks = true
		}
	}
	return marks, nil
}
