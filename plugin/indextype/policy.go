package indextype

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/util"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/leftout"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
	"github.com/neardup/bleve-neardup/plugin/internal/marks"
)

// reserved are the kinds of internal values by which an index signs or judges what is written to it. The function that
// writes such a value also puts it in force. A batch must not write one: it would be in force only after the index is
// opened again.
var reserved = []struct {
	key string // its key, or what its keys begin with if that ends in a slash
	by  string // the function that writes it, for people
}{{gate.PolicyKey, "SetPolicy"}, {leftout.Prefix, "SetTemplates"}, {marks.Key, "SetMark"}}

// mappingKey is the key of the internal value by which bleve keeps the mapping.
var mappingKey = string(util.MappingInternalKey)

// putInForce puts in force the policy and the templates that the index keeps among these internal values.
func (x *Index) putInForce(internal map[string][]byte) error {
	policy, err := parsePolicy(internal[gate.PolicyKey])
	if err != nil {
		return err
	}
	left := map[string]*template.Sets{}
	for key := range internal {
		if field, ok := strings.CutPrefix(key, leftout.Prefix); ok {
			sets, err := leftout.In(func(key []byte) ([]byte, error) { return internal[string(key)], nil }, field)
			if err != nil {
				return err
			}
			left[field] = sets
		}
	}
	x.templates.Store(&left)
	if err := x.fits(policy, internal[mappingKey], false); err != nil {
		return err
	}
	x.policy.Store(policy)
	return nil
}

// parsePolicy reads a policy as the index keeps it, in JSON; nil is no policy. What it does not know is an error: a
// policy that is read in part accepts what it should not.
func parsePolicy(kept []byte) (p *admission.Policy, err error) {
	if kept != nil {
		p, err = admission.ParsePolicy(kept)
	}
	if err != nil {
		return nil, fmt.Errorf("policy kept in the index: %w", err)
	}
	return p, nil
}

// fits returns an error if a mapping, as bleve keeps it, does not make what a policy needs, or signatures that can
// leave out the templates in force; if named is set, also if it lacks fields that the policy names. It passes a
// mapping that is not there yet, or cannot be read: bleve's error for that is the better one.
func (x *Index) fits(p *admission.Policy, kept []byte, named bool) error {
	m, err := parseMapping(kept)
	if err != nil {
		return nil
	}
	if err = makes(m, p); err == nil && named {
		err = x.named(m, p)
	}
	if err != nil {
		return fmt.Errorf("neardup: admission policy: %w", err)
	}
	left := x.Templates()
	for _, field := range slices.Sorted(maps.Keys(left)) {
		if err := leftout.Takes(m, field, left[field]); err != nil {
			return err
		}
	}
	return nil
}

// updates returns an error if a field that the policy names can be had by one mapping, and not by the next. The index
// need not be open.
func (x *Index) updates(before, now mapping.IndexMapping) error {
	form, err := x.value(gate.PolicyKey)
	if err != nil {
		return err
	}
	p, err := parsePolicy(form)
	if err != nil {
		return err
	}
	for _, need := range gate.Needs(p) {
		if wrong := fields.Known(now, need.Field); wrong != nil && fields.Known(before, need.Field) == nil {
			return fmt.Errorf("neardup: updated_mapping: admission: %s: %w", need.Member, wrong)
		}
	}
	return nil
}

// named returns an error if a policy names a field that no document of the index has, and that by a mapping none can
// get, or none of the kind that it takes.
func (x *Index) named(m *mapping.IndexMappingImpl, p *admission.Policy) error {
	for _, need := range gate.Needs(p) {
		wrong := fields.Known(m, need.Field)
		if wrong == nil && !fields.CanBe(m, need.Field, need.Is) {
			return fmt.Errorf("admission: %s: wanted %s, got %q, which is none by the mapping", need.Member, need.Wanted, need.Field)
		}
		if wrong == nil {
			continue
		}
		reader, err := x.Engine.Reader()
		if err != nil {
			return err
		}
		all, err := reader.Fields()
		if err = errors.Join(err, reader.Close()); err != nil {
			return err
		}
		if !slices.Contains(all, need.Field) {
			return fmt.Errorf("admission: %s: %w", need.Member, wrong)
		}
	}
	return nil
}

// makes returns an error if a mapping does not make what a policy needs: a fingerprinted field, with Policy.Hidden a
// char filter that sees what HTML hides, and as many lanes as its rules ask for. A nil policy needs nothing.
func makes(m mapping.IndexMapping, p *admission.Policy) error {
	if p == nil {
		return nil
	}
	if p.Hidden != nil {
		if err := neardup.FieldSeesHidden(m, gate.FieldOf(p)); err != nil {
			return err
		}
	}
	a, err := neardup.Of(m, gate.FieldOf(p))
	if err != nil {
		return err
	}
	if asked, lanes := max(p.Rule.Lanes, p.Rule.LongLanes, p.KnownRule.Lanes), a.Params().Lanes; asked > lanes {
		return fmt.Errorf("neardup: field %q: rule, known_rule: lanes: wanted at most %d, as many as its sketches have, got %d", gate.FieldOf(p), lanes, asked)
	}
	return nil
}

// parseMapping reads a mapping as bleve keeps it.
func parseMapping(kept []byte) (*mapping.IndexMappingImpl, error) {
	m := mapping.NewIndexMapping()
	if err := json.Unmarshal(kept, m); err != nil {
		return nil, fmt.Errorf("neardup: mapping: %w", err)
	}
	return m, nil
}

// mapping returns the mapping that the index keeps.
func (x *Index) mapping() (*mapping.IndexMappingImpl, error) {
	kept, err := x.value(mappingKey)
	if err != nil {
		return nil, err
	}
	return parseMapping(kept)
}

// check returns an error if a batch must not write one of these internal values.
func (x *Index) check(internal map[string][]byte) error {
	for key, value := range internal {
		for _, own := range reserved {
			if key == own.key || strings.HasSuffix(own.key, "/") && strings.HasPrefix(key, own.key) {
				return fmt.Errorf("neardup: internal value %s: wanted %s to write it, got a batch that does", key, own.by)
			}
		}
		if key == mappingKey {
			if err := x.fits(x.Policy(), value, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// Policy returns the policy in force, or nil. Callers must not change it.
func (x *Index) Policy() *admission.Policy { return x.policy.Load() }

// SetPolicy is what plugin.SetPolicy calls, whose comment says when it returns an error.
func (x *Index) SetPolicy(ctx context.Context, p *admission.Policy) error {
	if p != nil {
		if err := p.Validate(); err != nil {
			return err
		}
	}
	encode := func() ([]byte, error) {
		m, err := x.mapping()
		if err != nil {
			return nil, err
		}
		if err := cmp.Or(makes(m, p), x.named(m, p)); err != nil {
			return nil, err
		}
		if p == nil {
			return nil, nil
		}
		return json.Marshal(p)
	}
	return x.keep(ctx, gate.PolicyKey, encode, func() { x.policy.Store(p) })
}

// Templates returns, by field, what SetTemplates has put in force. Callers must not change it.
func (x *Index) Templates() map[string]*template.Sets { return *x.templates.Load() }

// SetTemplates leaves sets out of the signatures of a fingerprinted field, and keeps them in the
// index. If they are nil, nothing is left out, as at first.
//
// Writes that have begun are signed as before, and SetTemplates waits for them. It returns an
// error, and changes nothing, if a set was learned with other parameters than the field has,
// if the sets cannot be kept, or if ctx is done before the writes have ended.
func (x *Index) SetTemplates(ctx context.Context, field string, sets *template.Sets) error {
	encode := func() ([]byte, error) {
		m, err := x.mapping()
		if err != nil {
			return nil, err
		}
		return sets.Encode(), leftout.Takes(m, field, sets)
	}
	return x.keep(ctx, leftout.Prefix+field, encode, func() {
		left := maps.Clone(x.Templates())
		if left[field] = sets; sets == nil {
			delete(left, field)
		}
		x.templates.Store(&left)
	})
}

// value returns the internal value of a key, nil if there is none.
func (x *Index) value(key string) ([]byte, error) {
	reader, err := x.Engine.Reader()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	value, err := reader.GetInternal([]byte(key))
	return bytes.Clone(value), err
}

// keep keeps an internal value, or none if encode returns nil, and then calls use, which puts
// what it says in force. Writes that have begun end before that, and others wait until use has
// returned, so each of them is signed and judged by what was in force before, or by what is in
// force afterwards. An error of ctx, of encode or of writing leaves everything as it was; with one that wraps
// scorch.ErrPersist, of a full disk, the value might be in force when the index is opened again.
func (x *Index) keep(ctx context.Context, key string, encode func() ([]byte, error), use func()) error {
	leave, err := x.gate.Enter(ctx, true)
	if err != nil {
		return err
	}
	defer leave()
	value, err := encode()
	if err != nil {
		return err
	}
	b := index.NewBatch()
	if b.SetInternal([]byte(key), value); value == nil {
		b.DeleteInternal([]byte(key))
	}
	if err := x.Engine.Batch(b); err != nil {
		return err
	}
	use()
	return nil
}
