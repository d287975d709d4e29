package template

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"weak"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/internal/codec"
)

const (
	// MaxScope is how many bytes the name of a scope may have, and that of the field that has them.
	MaxScope = 512

	// MaxSets is how many bytes Sets take at most. bleve writes internal values
	// with each snapshot that it persists, so they have to stay small.
	MaxSets = 4 << 20
)

// Sets are what is left out of the signatures of a field: a Set for each scope, such as a site or a sender. They are
// not changed once they are made, and safe for concurrent use. A nil *Sets leaves nothing out.
type Sets struct {
	scope string // the field whose value is the scope of a document; "" if there is one scope
	sets  map[string]*Set
	data  []byte // the stored form
}

// NewSets returns the Sets of scopes, by the value of the field named scope. It is nil if there are
// none.
func NewSets(scope string, sets map[string]*Set) (*Sets, error) {
	if len(sets) == 0 {
		return nil, nil
	}
	s := &Sets{scope: scope, sets: sets}
	if len(scope) > MaxScope {
		return nil, fmt.Errorf("template: name of a field: wanted at most %d bytes, got %d", MaxScope, len(scope))
	}
	if _, only := sets[""]; scope == "" && !(only && len(sets) == 1) {
		return nil, fmt.Errorf("template: wanted the scope \"\" alone where no field has scopes, got %.10q", slices.Sorted(maps.Keys(sets)))
	}
	b := appendText(codec.Begin(nil, codec.Templates, version, 0), []byte(scope))
	b = binary.AppendUvarint(b, uint64(len(sets)))
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		if len(name) > MaxScope {
			return nil, fmt.Errorf("template: scope %.40q...: wanted a name of at most %d bytes, got %d", name, MaxScope, len(name))
		}
		if sets[name] == nil {
			return nil, fmt.Errorf("template: scope %q: wanted a set, got nil", name)
		}
		set, err := sets[name].MarshalBinary()
		if err != nil {
			return nil, fmt.Errorf("template: scope %q: %w", name, err)
		}
		b = appendText(appendText(b, []byte(name)), set)
	}
	s.data = codec.Seal(b, 0)
	if len(s.data) > MaxSets {
		return nil, fmt.Errorf("template: wanted sets of at most %d bytes together, got %d of %d", MaxSets, len(sets), len(s.data))
	}
	key, p := end(s.data), weak.Make(s) // so that ParseSets finds s as long as somebody has it
	parsed.Store(key, p)
	runtime.AddCleanup(s, func(key string) { parsed.CompareAndDelete(key, p) }, key)
	return s, nil
}

// appendText appends a text and, before it, its length. The stored form, that of internal/codec, has the name of the
// field of scopes, the number of scopes, and of each, by name, the name and the set.
func appendText(b, text []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// ParseSets reads the stored form, nil for none. What it does not know is an error that wraps signature.ErrVersion or
// signature.ErrMalformed: signatures would be made with less left out, and match nothing.
func ParseSets(data []byte) (*Sets, error) {
	if data == nil {
		return nil, nil
	}
	if p, ok := parsed.Load(end(data)); ok {
		if s := p.(weak.Pointer[Sets]).Value(); s != nil && bytes.Equal(s.data, data) {
			return s, nil
		}
	}
	r := codec.Open(data, codec.Templates, version)
	text := func() []byte { return r.Bytes("text", r.Uvarint("length", 0, math.MaxUint64), 1) }
	scope, sets := string(text()), map[string]*Set{}
	for range r.Uvarint("number of scopes", 1, uint64(len(data))) {
		name, set := string(text()), new(Set)
		if err := set.UnmarshalBinary(text()); err != nil {
			return nil, fmt.Errorf("template: scope %.40q: %w", name, err)
		}
		sets[name] = set
	}
	s, err := NewSets(scope, sets)
	r.Check(err == nil && s != nil && bytes.Equal(s.data, data), "scopes", "each once, in order")
	if err := r.Close(); err != nil {
		return nil, err
	}
	return s, nil
}

// parsed has the Sets that are in use somewhere, by the end of their stored form:
// each query for a text asks a snapshot for them, and reading 128 of them takes milliseconds.
var parsed sync.Map // string -> weak.Pointer[Sets]

func end(data []byte) string { return string(data[max(0, len(data)-8):]) }

// Encode returns the stored form, nil if s is.
func (s *Sets) Encode() []byte {
	if s == nil {
		return nil
	}
	return s.data
}

// Scope is the name of the field whose value is the scope of a document, perhaps after Domain, "" if all documents
// have the scope "".
func (s *Sets) Scope() string {
	if s == nil {
		return ""
	}
	return s.scope
}

// All are the sets by scope. They must not be changed.
func (s *Sets) All() map[string]*Set {
	if s == nil {
		return nil
	}
	return s.sets
}

// Of returns what is left out of documents of a scope: the set of that one, or else that of
// the scope "", nil if there is neither.
func (s *Sets) Of(scope string) *Set {
	if s == nil {
		return nil
	}
	if set := s.sets[scope]; set != nil {
		return set
	}
	return s.sets[""]
}

// Equal reports whether two leave out the same, of the same scopes.
func (s *Sets) Equal(other *Sets) bool { return string(s.Encode()) == string(other.Encode()) }

// ID is equal for equal Sets alone: 16 hexadecimal digits, "" if nothing is left out.
func (s *Sets) ID() string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%016x", xxhash.Sum64(s.data))
}

// ScopeOf is the scope of a document, given the values of the field that has it: the value, or
// "" where there is none, or several that differ.
func ScopeOf(values ...string) string {
	if len(values) == 0 || slices.ContainsFunc(values, func(v string) bool { return v != values[0] }) {
		return ""
	}
	return values[0]
}

// Domain begins the name of a scope that is the domain of a field's value: "domain:url" is the host of a URL, and
// "domain:from" what follows the last @ of a mail address, in lower case.
const Domain = "domain:"

// Scopes returns the scopes that a document names, given the name of the field that has them, or Domain and that name,
// and the texts of its fields.
func Scopes(name string, texts func(field string) []string) []string {
	field, domain := strings.CutPrefix(name, Domain)
	values := texts(field)
	for i := 0; domain && i < len(values); i++ {
		if u, err := url.Parse(values[i]); err == nil && u.Host != "" {
			values[i] = u.Hostname()
		}
		values[i] = strings.ToLower(strings.Trim(values[i][strings.LastIndexByte(values[i], '@')+1:], "<> "))
	}
	return values
}

// For returns what is left out of a document, given the texts of its fields by their names.
func (s *Sets) For(texts func(field string) []string) *Set {
	if s.Scope() == "" {
		return s.Of("")
	}
	return s.Of(ScopeOf(Scopes(s.scope, texts)...))
}

// Left returns what can have been left out of a document that is signed already: what each of sets leaves out, and then
// nil, as before anything was left out.
func Left(sets []*Sets, texts func(field string) []string) (all []*Set) {
	for _, s := range sets {
		if left := s.For(texts); left != nil {
			all = append(all, left)
		}
	}
	return append(all, nil)
}
