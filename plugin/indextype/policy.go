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
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
	"github.com/neardup/bleve-neardup/plugin/internal/keeping"
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

// openKept puts in force the policy and the templates that the index keeps, and the policy of the settings
// where that counts, as PolicyKey says.
func (x *Index) openKept() error {
	snapshot, err := column.Snapshot(x.Scorch)
	if err != nil {
		return err
	}
	defer snapshot.Close()
	internal := snapshot.Internal()
	policy, bare := x.settings, false
	if value := internal[gate.PolicyKey]; value != nil {
		kept, err := gate.ParseKept(value)
		if err != nil {
			return err
		}
		if policy == nil || same(policy, kept.Settings) {
			policy, bare = kept.Policy, kept.Bare
		}
	}
	if err := x.leaving.Open(internal); err != nil {
		return err
	}
	if err := x.fits(policy, internal[string(util.MappingInternalKey)]); err != nil {
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

// mappingOf reads a mapping that bleve keeps as JSON. It returns nil if there is none yet, or if it
// cannot be read: bleve's error for that is the better one.
func mappingOf(data []byte) *mapping.IndexMappingImpl {
	m := mapping.NewIndexMapping()
	if data == nil || json.Unmarshal(data, m) != nil {
		return nil
	}
	return m
}

// CheckPolicy returns an error if the mapping m does not make what the policy p needs: a fingerprinted field,
// with Policy.Hidden a char filter that sees what HTML hides, and with Policy.Contained passages. A nil policy needs nothing.
func CheckPolicy(p *admission.Policy, m mapping.IndexMapping) error {
	if p == nil {
		return nil
	}
	if p.Hidden != nil {
		if err := neardup.FieldSeesHidden(m, p.FieldName()); err != nil {
			return err
		}
	}
	a, err := neardup.Of(m, p.FieldName())
	if err == nil && p.Contained != nil && a.Params().Passages == 0 {
		err = fmt.Errorf("neardup: contained: wanted an analyzer of field %q with the option \"passages\", got one without", p.FieldName())
	}
	return err
}

// fits returns an error if a mapping, as bleve keeps it, does not make what p needs, or what is left out of
// signatures.
func (x *Index) fits(p *admission.Policy, data []byte) error {
	m := mappingOf(data)
	if m == nil {
		return nil
	}
	if err := CheckPolicy(p, m); err != nil {
		return fmt.Errorf("neardup: admission policy: %w", err)
	}
	return x.leaving.Fits(m)
}

// Policy returns the policy in force, or nil. Callers must not change it.
func (x *Index) Policy() *admission.Policy { return x.gate.Policy() }

// SetPolicy is what plugin.SetPolicy calls. With an error the old policy stays in force: the mapping does
// not make what p needs (CheckPolicy), or p is not valid or cannot be kept.
func (x *Index) SetPolicy(ctx context.Context, p *admission.Policy) error {
	if p != nil {
		if err := p.Validate(); err != nil {
			return err
		}
	}
	return x.setPolicy(ctx, p, false)
}

// TakePolicy puts the policy of another index in force, as SetPolicy does, with the same errors. If it was kept there
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
		m, err := x.keeper.Value(string(util.MappingInternalKey))
		if err != nil {
			return nil, err
		}
		if err := x.fits(p, m); err != nil {
			return nil, err
		}
		if p == nil && x.settings == nil {
			return nil, nil
		}
		return gate.Kept{Policy: p, Bare: bare, Settings: x.settings}.Encode()
	}
	return x.keeper.Keep(ctx, gate.PolicyKey, encode, func() error { return x.gate.SetPolicy(p, bare) })
}

// checkInternal returns an error if a batch must not write one of these internal values, and how many of
// them are marks that are set or removed.
func (x *Index) checkInternal(internal map[string][]byte) (marks int, err error) {
	for key, value := range internal {
		if err := keeping.Owned(key); err != nil {
			return 0, err
		}
		switch {
		case key == string(util.MappingInternalKey):
			if err := x.fits(x.gate.Policy(), value); err != nil {
				return 0, err
			}
		case strings.HasPrefix(key, gate.MarkPrefix):
			marks++
		}
	}
	return marks, nil
}
