// Package component has what the analysis components of this module have in common: a [Reader] of the configuration
// that bleve passes to a constructor, and token filters.
package component

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
)

// Reader reads one configuration. It keeps the first error, and Err returns it.
//
// bleve keeps the text of an error but not the error itself, so each text stands alone: the
// component, the key, what was wanted, and what came. The number 4 comes as int from a
// program, as float64 from an index that was opened, and as json.Number from code that
// decodes that way; all are accepted. A key that no code asked for is an error, because
// bleve ignores misspelt options silently.
type Reader struct {
	component string
	values    map[string]any
	asked     []string
	err       error
}

// New returns a Reader of values, which can be nil, for the component with that name.
func New(component string, values map[string]any) *Reader {
	return &Reader{component: component, values: values, asked: []string{"type"}}
}

// get returns the value of key, and whether there is one.
func (r *Reader) get(key string) (any, bool) {
	r.asked = append(r.asked, key)
	v, ok := r.values[key]
	return v, ok && v != nil
}

// Failf keeps an error about key unless there is one already.
func (r *Reader) Failf(key, format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%s: %s: %s", r.component, key, fmt.Sprintf(format, args...))
	}
}

// Int returns a whole number from least to most, or absent if key is not set.
func (r *Reader) Int(key string, absent, least, most int) int {
	v, ok := r.get(key)
	if !ok {
		return absent
	}
	f, err := strconv.ParseFloat(fmt.Sprint(v), 64)
	if _, text := v.(string); text || err != nil || f != math.Trunc(f) || !(f >= float64(least) && f <= float64(most)) {
		r.Failf(key, "wanted a whole number from %d to %d, got %s", least, most, show(v))
		return absent
	}
	return int(f)
}

// Uint64 returns a 64-bit number. JSON can carry all 64 bits only in a string: decimal, or
// hexadecimal after 0x. Numbers are accepted up to 2^53.
func (r *Reader) Uint64(key string) uint64 {
	v, ok := r.get(key)
	if !ok {
		return 0
	}
	text := fmt.Sprint(v)
	if n, ok := v.(float64); ok && n <= 1<<53 {
		text = strconv.FormatFloat(n, 'f', -1, 64) // without an exponent
	}
	u, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		r.Failf(key, `wanted a number from 0 to 2^53, or a string like "0x5eed" of 64 bits, got %s`, show(v))
	}
	return u
}

// Bool returns a boolean, or false if key is not set.
func (r *Reader) Bool(key string) bool { return typed[bool](r, key, "true or false") }

// String returns a string, or "" if key is not set.
func (r *Reader) String(key string) string { return typed[string](r, key, "a string") }

// typed returns a value of type T, or the zero T if key is not set.
func typed[T any](r *Reader, key, wanted string) (value T) {
	if v, ok := r.get(key); ok {
		if value, ok = v.(T); !ok {
			r.Failf(key, "wanted %s, got %s", wanted, show(v))
		}
	}
	return value
}

// Choice returns one of choices, or absent if key is not set.
func Choice[T ~string](r *Reader, key string, absent T, choices ...T) T {
	v, ok := r.get(key)
	if !ok {
		return absent
	}
	s, _ := v.(string)
	if !slices.Contains(choices, T(s)) {
		r.Failf(key, "wanted one of %q, got %s", choices, show(v))
		return absent
	}
	return T(s)
}

// Strings returns a list of strings, which JSON gives as []any.
func (r *Reader) Strings(key string) (list []string) {
	v, _ := r.get(key)
	switch l := v.(type) {
	case nil:
		return nil
	case []string:
		return l
	case []any:
		for _, e := range l {
			if s, ok := e.(string); ok {
				list = append(list, s)
			}
		}
		if len(list) == len(l) {
			return list
		}
	}
	r.Failf(key, "wanted a list of strings, got %s", show(v))
	return nil
}

// Rule returns a rule, an object of JSON, or the zero Rule if key is not set.
func (r *Reader) Rule(key string) (rule signature.Rule) {
	v, ok := r.get(key)
	if !ok {
		return rule
	}
	data, err := json.Marshal(v)
	if err == nil && !strings.HasPrefix(string(data), "{") {
		r.Failf(key, `wanted an object like {"lanes": 80}, got %s`, show(v))
		return rule
	}
	if err == nil {
		err = rule.UnmarshalJSON(data)
	}
	if err != nil {
		r.Failf(key, "%s", strings.TrimPrefix(err.Error(), "rule: "))
	}
	return rule
}

// Params reads the keys that all components share: width, lanes, simhash_width,
// simhash_weight, fingerprint, bag, seed.
func (r *Reader) Params() signature.Params { return r.ParamsOver(signature.DefaultParams()) }

// ParamsOver is Params with other defaults, but for bag and seed.
func (r *Reader) ParamsOver(p signature.Params) signature.Params {
	p.Width = r.Int("width", p.Width, 1, shingle.MaxWidth)
	p.Lanes = r.Int("lanes", p.Lanes, sketch.MinLanes, sketch.MaxLanes)
	p.SimhashWidth = r.Int("simhash_width", p.SimhashWidth, 1, shingle.MaxWidth)
	p.SimhashWeight = r.weight(p.SimhashWeight)
	p.Fingerprint = Choice(r, "fingerprint", p.Fingerprint, signature.Fingerprints()...)
	p.Bag, p.Seed = r.Bool("bag"), r.Uint64("seed")
	return p
}

// Numbers reads the key numbers, for components that make signatures.
func (r *Reader) Numbers() signature.Numbers {
	return Choice(r, "numbers", signature.NumbersAny, signature.NumbersAny, signature.NumbersEqual)
}

// Passages reads the key passages, for components that make signatures with the parameters p.
func (r *Reader) Passages(p signature.Params) int {
	p.Passages = r.Int("passages", 0, 0, winnow.MostWords)
	if err := p.Validate(); err != nil { // of parameters that were read, only this one depends on others
		r.Failf("passages", "%s", strings.TrimPrefix(err.Error(), "signature: passages: "))
	}
	return p.Passages
}

// weight returns a weight that has no name but a known one.
func (r *Reader) weight(absent signature.Weight) signature.Weight {
	v, ok := r.get("simhash_weight")
	if !ok {
		return absent
	}
	name, ok := v.(string)
	if w := signature.Weight(name); ok && name != "" && w.Validate() == nil {
		return w
	}
	r.Failf("simhash_weight", "wanted one of %q, or the name of a function that signature.RegisterWeight got before, got %s",
		[]signature.Weight{signature.WeightDistinct, signature.WeightCount, signature.WeightLog}, show(v))
	return absent
}

// Err returns the first error: one that was kept, or an unknown key.
func (r *Reader) Err() error {
	if r.err != nil {
		return r.err
	}
	slices.Sort(r.asked)
	known := slices.Compact(r.asked)
	for key, v := range r.values {
		if !slices.Contains(known, key) {
			return fmt.Errorf("%s: %s: wanted one of the keys %s, got this one with %s",
				r.component, key, strings.Join(known, ", "), show(v))
		}
	}
	return nil
}

// show formats a value with its type, for an error text.
func show(v any) string {
	return fmt.Sprintf("%T %.80q", v, fmt.Sprint(v))
}
