// Package keeping has the policy and the templates of an index of type neardup: what is in force, and the internal values by
// which the index keeps it.
package keeping

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
	"sync/atomic"

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
	"github.com/neardup/bleve-neardup/plugin/internal/markstore"
)

// reserved are the kinds of internal values by which an index signs or judges what is written to it. The function that
// writes such a value also puts it in force. A batch must not write one: it would be in force only after the index is opened
// again.
var reserved = []struct {
	key string // its key, or what its keys begin with if that ends in a slash
	by  string // the function that writes it, for people
}{{gate.PolicyKey, "SetPolicy"}, {leftout.Prefix, "SetTemplates"}, {markstore.Key, "SetMark"}, {markstore.Key + "/", "SetMark"}}

// mappingKey is the key of the internal value by which bleve keeps the mapping.
var mappingKey = string(util.MappingInternalKey)

// SettingsKey is the name of a policy in the settings of an index: indextype.PolicyKey.
const SettingsKey = "neardup_admission"

// Keeper has what one index signs and judges by.
type Keeper struct {
	templates atomic.Pointer[map[string]*template.Sets] // what signatures are made without, by field; not changed once it is here

	gate     *gate.Gate // has the policy in force
	engine   *engine.Engine
	settings *admission.Policy // the policy of the settings, nil if they have none
}

// New returns the Keeper of an index with these settings.
func New(config map[string]any, e *engine.Engine, g *gate.Gate) (*Keeper, error) {
	k := &Keeper{gate: g, engine: e}
	k.templates.Store(&map[string]*template.Sets{})
	v, ok := config[SettingsKey]
	if !ok {
		return k, nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("neardup: %s: %w", SettingsKey, err)
	}
	k.settings, err = admission.ParsePolicy(data)
	return k, err
}

// Open puts in force the policy and the templates that the index keeps among these internal values, and the policy of the settings
// where that counts, as indextype.PolicyKey says.
func (k *Keeper) Open(internal map[string][]byte) error {
	policy, kept, err := k.policy(internal[gate.PolicyKey])
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
	k.templates.Store(&left)
	if err := k.fits(policy, internal[mappingKey], !kept); err != nil {
		return err
	}
	return k.gate.SetPolicy(policy)
}

// policy returns the policy that counts: the one that the index keeps in this form, or the one of the settings.
func (k *Keeper) policy(form []byte) (p *admission.Policy, kept bool, err error) {
	if form == nil {
		return k.settings, false, nil
	}
	all, err := gate.ParseKept(form)
	if err != nil || k.settings != nil && !same(k.settings, all.Settings) {
		return k.settings, false, err
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
func (k *Keeper) fits(p *admission.Policy, kept []byte, named bool) error {
	m, err := ParseMapping(kept)
	if err != nil {
		return nil
	}
	if err = makes(m, p); err == nil && named {
		err = k.named(m, p)
	}
	if err != nil {
		return fmt.Errorf("neardup: admission policy: %w", err)
	}
	left := k.Templates()
	for _, field := range slices.Sorted(maps.Keys(left)) {
		if err := leftout.Takes(m, field, left[field]); err != nil {
			return err
		}
	}
	return nil
}

// Update returns an error if a field that the policy names can be had by one mapping, and not by the next. The index need not be open.
func (k *Keeper) Update(before, now mapping.IndexMapping) error {
	form, err := k.value(gate.PolicyKey)
	if err != nil {
		return err
	}
	p, _, err := k.policy(form)
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
func (k *Keeper) named(m mapping.IndexMapping, p *admission.Policy) error {
	for member, name := range gate.Names(p) {
		wrong := fields.Known(m, name)
		if wrong == nil {
			continue
		}
		reader, err := k.engine.Reader()
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
		if err := neardup.FieldSeesHidden(m, p.FieldName()); err != nil {
			return err
		}
	}
	a, err := neardup.Of(m, p.FieldName())
	if err != nil {
		return err
	}
	if asked, lanes := max(p.Rule.Lanes, p.KnownRule.Lanes), a.Params().Lanes; asked > lanes {
		return fmt.Errorf("neardup: field %q: rule, known_rule: lanes: wanted at most %d, as many as its sketches have, got %d", p.FieldName(), lanes, asked)
	}
	return nil
}

// ParseMapping reads a mapping as bleve keeps it.
func ParseMapping(kept []byte) (*mapping.IndexMappingImpl, error) {
	m := mapping.NewIndexMapping()
	if err := json.Unmarshal(kept, m); err != nil {
		return nil, fmt.Errorf("neardup: mapping: %w", err)
	}
	return m, nil
}

// Mapping returns the mapping that the index keeps.
func (k *Keeper) Mapping() (*mapping.IndexMappingImpl, error) {
	kept, err := k.value(mappingKey)
	if err != nil {
		return nil, err
	}
	return ParseMapping(kept)
}

// Check returns an error if a batch must not write one of these internal values, and reports whether there are
// marks among them that it sets or removes.
func (k *Keeper) Check(internal map[string][]byte) (marks bool, err error) {
	for key, value := range internal {
		for _, own := range reserved {
			if key == own.key || strings.HasSuffix(own.key, "/") && strings.HasPrefix(key, own.key) {
				return false, fmt.Errorf("neardup: internal value %s: wanted %s to write it, got a batch that does", key, own.by)
			}
		}
		if key == mappingKey {
			if err := k.fits(k.gate.Policy(), value, true); err != nil {
				return false, err
			}
		}
		marks = marks || strings.HasPrefix(key, gate.MarkPrefix)
	}
	return marks, nil
}

// SetPolicy puts a policy in force and keeps it.
func (k *Keeper) SetPolicy(ctx context.Context, p *admission.Policy) error {
	if p != nil {
		if err := p.Validate(); err != nil {
			return err
		}
	}
	encode := func() ([]byte, error) {
		m, err := k.Mapping()
		if err != nil {
			return nil, err
		}
		if err := cmp.Or(makes(m, p), k.named(m, p)); err != nil {
			return nil, err
		}
		if p == nil && k.settings == nil { // else that there is none is kept, too: the settings have one
			return nil, nil
		}
		return gate.Kept{Policy: p, Settings: k.settings}.Encode()
	}
	return k.keep(ctx, gate.PolicyKey, encode, func() error { return k.gate.SetPolicy(p) })
}

// Templates returns what signatures are made without, by field.
func (k *Keeper) Templates() map[string]*template.Sets { return *k.templates.Load() }

// SetTemplates is what indextype.Index.SetTemplates calls, whose comment says when it returns an error.
func (k *Keeper) SetTemplates(ctx context.Context, field string, sets *template.Sets) error {
	encode := func() ([]byte, error) {
		m, err := k.Mapping()
		if err != nil {
			return nil, err
		}
		return sets.Encode(), leftout.Takes(m, field, sets)
	}
	return k.keep(ctx, leftout.Prefix+field, encode, func() error {
		left := maps.Clone(k.Templates())
		if left[field] = sets; sets == nil {
			delete(left, field)
		}
		k.templates.Store(&left)
		return nil
	})
}

// value returns the internal value of a key, nil if there is none.
func (k *Keeper) value(key string) ([]byte, error) {
	reader, err := k.engine.Reader()
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
func (k *Keeper) keep(ctx context.Context, key string, encode func() ([]byte, error), use func() error) error {
	if ctx == nil {
		return errors.New("neardup: wanted a context, got nil")
	}
	leave, err := k.gate.Enter(ctx, true)
	if err != nil {
		return err
	}
	defer leave()
	if err := k.engine.Writable(); err != nil && err != engine.ErrReadOnly {
		return err // what is kept already might not be on disk
	}
	value, err := encode()
	if err != nil {
		return err
	}
	old, err := k.value(key)
	if err != nil {
		return err
	}
	if !bytes.Equal(value, old) {
		b := index.NewBatch()
		if b.SetInternal([]byte(key), value); value == nil {
			b.DeleteInternal([]byte(key))
		}
		if err := k.engine.Batch(b); err != nil {
			return err
		}
	}
	return use()
}
