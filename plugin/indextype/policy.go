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
	"github.com/neardup/bleve-neardup/plugin/internal/engine"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
	"github.com/neardup/bleve-neardup/plugin/internal/marks"
)

// PolicyKey is the name of a policy in the settings that bleve.NewUsing keeps with an index and
// that bleve.OpenUsing takes: an admission.Policy, or the same as decoded JSON.
//
// SetPolicy overrides the policy in the settings, also after the index is opened again with
// the same settings. If it is opened with another policy in the settings, that policy
// overrides the kept one for as long as the index is open.
const PolicyKey = "neardup_admission"

// reserved are the kinds of internal values by which an index signs or judges what is written to it. The function that
// writes such a value also puts it in force. A batch must not write one: it would be in force only after the index is opened
// again.
var reserved = []struct {
	key string // its key, or what its keys begin with if that ends in a slash
	by  string // the function that writes it, for people
}{{gate.PolicyKey, "SetPolicy"}, {leftout.Prefix, "SetTemplates"}, {marks.Key, "SetMark"}, {marks.Key + "/", "SetMark"}, {"neardup/mark/", "SetMark"}}

// mappingKey is the key of the internal value by which bleve keeps the mapping.
var mappingKey = string(util.MappingInternalKey)

// policyOf returns the policy in the settings of an index, nil if they have none.
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

// putInForce puts in force the policy and the templates that the index keeps among these internal values, and the
// policy of the settings where that counts, as PolicyKey says.
func (x *Index) putInForce(internal map[string][]byte) error {
	policy, kept, err := x.policy(internal[gate.PolicyKey])
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
	if err := x.fits(policy, internal[mappingKey], !kept); err != nil {
		return err
	}
	x.gate.SetPolicy(policy)
	return nil
}

// policy returns the policy that counts: the one that the index keeps in this form, or the one of the settings.
func (x *Index) policy(form []byte) (p *admission.Policy, kept bool, err error) {
	if form == nil {
		return x.settings, false, nil
	}
	all, err := gate.ParseKept(form)
	if err != nil || x.settings != nil && !same(x.settings, all.Settings) {
		return x.settings, false, err
	}
	return all.Policy, true, nil
}

// same reports whether two policies are equal, or both nil.
func same(a, b *admission.Policy) bool {
	one, err1 := json.Marshal(a)
	two, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && bytes.Equal(one, two)
}

// fits returns an error if a mapping, as bleve keeps it, does not make what a policy needs, or signatures that can leave out the
// templates in force. It passes a mapping that is not there yet, or cannot be read: bleve's error for that is the better one. If
// named is set, the names of fields are looked at, too.
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
	left := *x.templates.Load()
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
	p, _, err := x.policy(form)
	if err != nil {
		return err
	}
	for member, name := range gate.Names(p) {
		if wrong := fields.Known(now, name); wrong != nil && fields.Known(before, name) == nil {
			return fmt.Errorf("neardup: updated_mapping: admission: %s: %w", member, wrong)
		}
	}
	return nil
}

// named returns an error if a policy names a field that no document of the index has, and that by a mapping none can get.
func (x *Index) named(m mapping.IndexMapping, p *admission.Policy) error {
	for member, name := range gate.Names(p) {
		wrong := fields.Known(m, name)
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
		if !slices.Contains(all, name) {
			return fmt.Errorf("admission: %s: %w", member, wrong)
		}
	}
	return nil
}

// makes returns an error if a mapping does not make what a policy needs: a fingerprinted field, with Policy.Hidden a char
// filter that sees what HTML hides, and as many lanes as its rules ask for. A nil policy needs nothing.
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
	if asked, lanes := max(p.Rule.Lanes, p.KnownRule.Lanes), a.Params().Lanes; asked > lanes {
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
			if err := x.fits(x.gate.Policy(), value, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// Policy returns the policy in force, or nil. Callers must not change it.
func (x *Index) Policy() *admission.Policy { return x.gate.Policy() }

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
		if p == nil && x.settings == nil { // else that there is none is kept, too: the settings have one
			return nil, nil
		}
		return gate.Kept{Policy: p, Settings: x.settings}.Encode()
	}
	return x.keep(ctx, gate.PolicyKey, encode, func() { x.gate.SetPolicy(p) })
}

// Templates returns what SetTemplates has put in force for a field, nil if nothing is left out.
func (x *Index) Templates(field string) *template.Sets { return (*x.templates.Load())[field] }

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
		left := maps.Clone(*x.templates.Load())
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
// scorch.ErrPersist, of a full disk, the value might be in force when the index is opened again. A value
// that is kept already is not written again, so that it can be put in force where the index is
// read-only.
func (x *Index) keep(ctx context.Context, key string, encode func() ([]byte, error), use func()) error {
	if ctx == nil {
		return errors.New("neardup: wanted a context, got nil")
	}
	leave, err := x.gate.Enter(ctx, true)
	if err != nil {
		return err
	}
	defer leave()
	if err := x.Engine.Writable(); err != nil && err != engine.ErrReadOnly {
		return err // what is kept already might not be on disk
	}
	value, err := encode()
	if err != nil {
		return err
	}
	old, err := x.value(key)
	if err != nil {
		return err
	}
	if !bytes.Equal(value, old) {
		b := index.NewBatch()
		if b.SetInternal([]byte(key), value); value == nil {
			b.DeleteInternal([]byte(key))
		}
		if err := x.Engine.Batch(b); err != nil {
			return err
		}
	}
	use()
	return nil
}
