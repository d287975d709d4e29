package template

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"weak"

	"github.com/cespare/xxhash/v2"
)

const (
	// MaxScope is how many bytes the name of a scope may have, and that of the field that has them.
	MaxScope = 512

	// MaxSets is how many bytes Sets take at most. bleve writes internal values
	// with each snapshot that it persists, so they have to stay small.
	MaxSets = 4 << 20
)

// Sets are what is left out of the signatures of a field: a Set for each scope, such as a site or a sender. They are not
// changed once they are made, and safe for concurrent use. A nil *Sets leaves nothing out.
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
	b := append([]byte(markSets), version)
	b = appendBytes(b, []byte(scope))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(sets)))
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
		b = appendBytes(appendBytes(b, []byte(name)), set)
	}
	s.data = binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b))
	if len(s.data) > MaxSets {
		return nil, fmt.Errorf("template: wanted sets of at most %d bytes together, got %d of %d", MaxSets, len(sets), len(s.data))
	}
	s.remember()
	return s, nil
}

// The stored form: a mark, the version, the name of the field of scopes, their number, and of each, by
// name, the name and the set; then the xxHash64 of all that. Numbers are little-endian, of 4 bytes; texts
// and sets have their length before them.
const markSets = "NDS"

func appendBytes(b, text []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(text))), text...)
}

// errOther is the error of bytes that are no Sets.
var errOther = errors.New("template: wanted the stored form of sets, got something else")

// ParseSets reads the stored form, nil for none. What it does not know is an error: signatures
// would be made with less left out, and match nothing.
func ParseSets(data []byte) (*Sets, error) {
	if data == nil {
		return nil, nil
	}
	if len(data) < len(markSets)+1+8 || string(data[:len(markSets)]) != markSets {
		return nil, errOther
	}
	if v := data[len(markSets)]; v != version {
		return nil, fmt.Errorf("template: version: wanted %d, got %d", version, v)
	}
	rest := data[:len(data)-8]
	sum := binary.LittleEndian.Uint64(data[len(rest):])
	if p, ok := parsed.Load(sum); ok {
		if s := p.(weak.Pointer[Sets]).Value(); s != nil && bytes.Equal(s.data, data) {
			return s, nil
		}
	}
	if sum != xxhash.Sum64(rest) {
		return nil, errors.New("template: wanted the stored form of sets, got one that is damaged")
	}
	r := reader{rest[len(markSets)+1:], true}
	scope := string(r.text())
	sets := map[string]*Set{}
	for n := r.number(); n > 0 && r.ok; n-- {
		name, set := string(r.text()), new(Set)
		if err := set.UnmarshalBinary(r.text()); err != nil {
			return nil, fmt.Errorf("template: scope %.40q: %w", name, err)
		}
		sets[name] = set
	}
	s, err := NewSets(scope, sets)
	if err == nil && (!r.ok || len(r.data) > 0 || s == nil || string(s.data) != string(data)) {
		err = errOther
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// parsed has the Sets that are in use somewhere, by the last eight bytes of their stored form:
// each query for a text asks a snapshot for them, and reading 128 of them takes milliseconds.
var parsed sync.Map // uint64 -> weak.Pointer[Sets]

// remember makes ParseSets find s as long as somebody has it.
func (s *Sets) remember() {
	sum, p := binary.LittleEndian.Uint64(s.data[len(s.data)-8:]), weak.Make(s)
	parsed.Store(sum, p)
	runtime.AddCleanup(s, func(sum uint64) { parsed.CompareAndDelete(sum, p) }, sum)
}

// reader reads the stored form.
type reader struct {
	data []byte
	ok   bool
}

func (r *reader) number() uint32 {
	if len(r.data) < 4 {
		r.data, r.ok = nil, false
		return 0
	}
	n := binary.LittleEndian.Uint32(r.data)
	r.data = r.data[4:]
	return n
}

func (r *reader) text() []byte {
	n := uint64(r.number())
	if n > uint64(len(r.data)) {
		r.data, r.ok = nil, false
		return nil
	}
	text := r.data[:n]
	r.data = r.data[n:]
	return text
}

// Encode returns the stored form, nil if s is.
func (s *Sets) Encode() []byte {
	if s == nil {
		return nil
	}
	return s.data
}

// Scope is the name of the field whose value is the scope of a document, "" if all documents
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
	return fmt.Sprintf("%016x", binary.LittleEndian.Uint64(s.data[len(s.data)-8:]))
}

// ScopeOf is the scope of a document, given the values of the field that has it: the value, or
// "" where there is none, or several that differ.
func ScopeOf(values ...string) string {
	if len(values) == 0 || slices.ContainsFunc(values, func(v string) bool { return v != values[0] }) {
		return ""
	}
	return values[0]
}

// For returns what is left out of a document, given the texts of its fields by their names.
func (s *Sets) For(texts func(field string) []string) *Set {
	if s.Scope() == "" {
		return s.Of("")
	}
	return s.Of(ScopeOf(texts(s.scope)...))
}

// Left returns what can have been left out of a document that is signed already: what each of sets leaves out, and then nil, as before
// anything was left out.
func Left(sets []*Sets, texts func(field string) []string) (all []*Set) {
	for _, s := range sets {
		if left := s.For(texts); left != nil {
			all = append(all, left)
		}
	}
	return append(all, nil)
}
