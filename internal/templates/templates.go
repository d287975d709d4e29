// Package templates is what an index leaves out of the signatures of a field: a template.Set
// for each scope, such as a site or a sender, kept as one internal value of the index. Every
// signature that is made for an index is made here, or by the index type with what is kept here:
// Signer is the one place that decides which set applies.
package templates

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

	"github.com/blevesearch/bleve/v2/mapping"
	index "github.com/blevesearch/bleve_index_api"
	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
)

// Prefix begins the keys, among the internal values of an index, of its Sets; the name of the
// field follows.
const Prefix = "neardup/templates/"

// Key is the key of the Sets of a field.
func Key(field string) string { return Prefix + field }

const (
	// MaxName is how many bytes the names of scopes, and of the field that has them, may have.
	MaxName = 512

	// MaxSize is how many bytes the Sets of a field take at most. bleve writes internal values
	// with each snapshot that it persists, so they have to stay small.
	MaxSize = 4 << 20
)

// Sets are the sets of a field of an index. They are not changed once they are made, and safe
// for concurrent use. A nil *Sets leaves nothing out.
type Sets struct {
	scope string // the field whose value is the scope of a document; "" if there is one scope
	sets  map[string]*template.Set
	data  []byte // the stored form
}

// New returns the Sets of scopes, by the value of the field named scope. It is nil if there are
// none.
func New(scope string, sets map[string]*template.Set) (*Sets, error) {
	if len(sets) == 0 {
		return nil, nil
	}
	s := &Sets{scope: scope, sets: sets}
	if len(scope) > MaxName {
		return nil, fmt.Errorf("templates: name of a field: wanted at most %d bytes, got %d", MaxName, len(scope))
	}
	if _, only := sets[""]; scope == "" && !(only && len(sets) == 1) {
		return nil, fmt.Errorf("templates: wanted the scope \"\" alone where no field has scopes, got %.10q", slices.Sorted(maps.Keys(sets)))
	}
	b := append([]byte(mark), version)
	b = appendBytes(b, []byte(scope))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(sets)))
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		if len(name) > MaxName {
			return nil, fmt.Errorf("templates: scope %.40q...: wanted a name of at most %d bytes, got %d", name, MaxName, len(name))
		}
		if sets[name] == nil {
			return nil, fmt.Errorf("templates: scope %q: wanted a set, got nil", name)
		}
		set, err := sets[name].MarshalBinary()
		if err != nil {
			return nil, fmt.Errorf("templates: scope %q: %w", name, err)
		}
		b = appendBytes(appendBytes(b, []byte(name)), set)
	}
	s.data = binary.LittleEndian.AppendUint64(b, xxhash.Sum64(b))
	if len(s.data) > MaxSize {
		return nil, fmt.Errorf("templates: wanted sets of at most %d bytes together, got %d of %d", MaxSize, len(sets), len(s.data))
	}
	s.remember()
	return s, nil
}

// The stored form: a mark, the version, the name of the field of scopes, their number, and of each, by
// name, the name and the set; then the xxHash64 of all that. Numbers are little-endian, of 4 bytes; texts
// and sets have their length before them.
const (
	mark    = "NDS"
	version = 1
)

func appendBytes(b, text []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(text))), text...)
}

// errOther is the error of bytes that are none of this package's.
var errOther = errors.New("templates: wanted the stored form of sets, got something else")

// Parse reads the stored form, nil for none. What it does not know is an error: signatures
// would be made with less left out, and match nothing.
func Parse(data []byte) (*Sets, error) {
	if data == nil {
		return nil, nil
	}
	if len(data) < len(mark)+1+8 || string(data[:len(mark)]) != mark {
		return nil, errOther
	}
	if v := data[len(mark)]; v != version {
		return nil, fmt.Errorf("templates: version: wanted %d, got %d", version, v)
	}
	rest := data[:len(data)-8]
	sum := binary.LittleEndian.Uint64(data[len(rest):])
	if p, ok := parsed.Load(sum); ok {
		if s := p.(weak.Pointer[Sets]).Value(); s != nil && bytes.Equal(s.data, data) {
			return s, nil
		}
	}
	if sum != xxhash.Sum64(rest) {
		return nil, errors.New("templates: wanted the stored form of sets, got one that is damaged")
	}
	r := reader{rest[len(mark)+1:], true}
	scope := string(r.text())
	sets := map[string]*template.Set{}
	for n := r.number(); n > 0 && r.ok; n-- {
		name, set := string(r.text()), new(template.Set)
		if err := set.UnmarshalBinary(r.text()); err != nil {
			return nil, fmt.Errorf("templates: scope %.40q: %w", name, err)
		}
		sets[name] = set
	}
	s, err := New(scope, sets)
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

// remember makes Parse find s as long as somebody has it.
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
func (s *Sets) All() map[string]*template.Set {
	if s == nil {
		return nil
	}
	return s.sets
}

// Of returns what is left out of documents of a scope: the set of that one, or else that of
// the scope "", nil if there is neither.
func (s *Sets) Of(scope string) *template.Set {
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

// Fits returns an error if signatures of an analyzer cannot leave the sets out.
func (s *Sets) Fits(a *neardup.Analyzer) error {
	for _, scope := range slices.Sorted(maps.Keys(s.All())) {
		if err := a.Takes(s.sets[scope]); err != nil {
			return fmt.Errorf("scope %q: %w", scope, err)
		}
	}
	return nil
}

// ScopeOf is the scope of a document, given the values of the field that has it: the value, or
// "" where there is none, or several that differ.
func ScopeOf(values ...string) string {
	if len(values) == 0 || slices.ContainsFunc(values, func(v string) bool { return v != values[0] }) {
		return ""
	}
	return values[0]
}

// In is the scope of a document with the fields of doc, in which nested documents do not count.
func (s *Sets) In(doc interface{ VisitFields(index.FieldVisitor) }) string {
	if s.Scope() == "" {
		return ""
	}
	var values []string
	doc.VisitFields(func(f index.Field) {
		if text, ok := f.(index.TextField); ok && f.Name() == s.scope {
			values = append(values, text.Text())
		}
	})
	return ScopeOf(values...)
}

// Signer makes signatures of one field, as an index does that keeps Sets.
type Signer struct {
	// Mapping is the mapping of the index. It fingerprints Field.
	Mapping mapping.IndexMapping
	Field   string

	// Sets are kept by the index; nil if none are.
	Sets *Sets
}

// SignerOf returns the Signer of a snapshot.
func SignerOf(r index.IndexReader, m mapping.IndexMapping, field string) (Signer, error) {
	sets, err := Read(r.GetInternal, field)
	return Signer{m, field, sets}, err
}

// Read reads the Sets of a field, given how internal values are read.
func Read(internal func(key []byte) ([]byte, error), field string) (*Sets, error) {
	value, err := internal([]byte(Key(field)))
	if err != nil {
		return nil, err
	}
	sets, err := Parse(value)
	if err != nil {
		return nil, fmt.Errorf("neardup: field %q: kept in the index: %w", field, err)
	}
	return sets, nil
}

// Sign returns the signature that a document of a scope with these values has.
func (s Signer) Sign(scope string, values ...string) (*signature.Signature, error) {
	return neardup.Sign(s.Mapping, s.Field, s.Sets.Of(scope), values...)
}

// SignDocument returns the signature of a document, as bleve's Index takes it.
func (s Signer) SignDocument(data any) (*signature.Signature, error) {
	return neardup.SignDocument(s.Mapping, s.Field, data, func(doc index.Document) *template.Set { return s.Sets.Of(s.Sets.In(doc)) })
}

// Try calls signs with what can have been left out of a document that is signed already, and stops
// where it returns true: with what each of sets leaves out of the document's scope, and with nil, as
// before anything was left out.
func Try(sets []*Sets, scope func(*Sets) string, signs func(left *template.Set) bool) bool {
	for _, s := range sets {
		if left := s.Of(scope(s)); left != nil && signs(left) {
			return true
		}
	}
	return signs(nil)
}

// Left returns what was left out of a document that has these values and the signature sig, nil
// for nothing; false if sig is of other values.
func Left(sets []*Sets, scope func(*Sets) string, sig *signature.Signature, a *neardup.Analyzer, values ...[]byte) (left *template.Set, ok bool) {
	ok = Try(sets, scope, func(set *template.Set) bool {
		again, err := a.SignWith(neardup.Figures{}, set, values...)
		if err != nil || again.Signature.Params != sig.Params || again.Signature.Exact != sig.Exact {
			return false
		}
		if again.Left > 0 {
			left = set
		}
		return true
	})
	return left, ok
}
