package neardup

import (
	"runtime"
	"sync"
	"unsafe"
	"weak"

	"github.com/blevesearch/bleve/v2/mapping"
)

// Fingerprinted returns an error, as Of does, if m does not fingerprint the field so
// named. It returns nil if m cannot be read, because it is nil or no
// *mapping.IndexMappingImpl.
//
// Each search asks this, and a mapping may have thousands of fields; so the fields that
// were found are kept for as long as there is the mapping. Of those that were not found
// nothing is kept: their names may be anything.
func Fingerprinted(m mapping.IndexMapping, field string) error {
	impl, ok := m.(*mapping.IndexMappingImpl)
	if !ok || impl == nil {
		return nil
	}
	if known := foundIn(impl); known != nil {
		if _, ok := known.fields.Load(field); ok {
			return nil
		}
	}
	var names []string
	named, any := false, false
	visit(impl, func(name string, _ *Analyzer) {
		names = append(names, name)
		named = named || name == field
		any = any || name == ""
	})
	switch {
	case named:
		find(impl, field)
	case !any:
		return unknown(names, field)
	}
	return nil
}

// found has the fields that were found, by the address of the mapping. They count only
// if they are of that very mapping: another may have been at the address before. (A weak
// pointer is no key, as making one takes too long.)
var found sync.Map // uintptr -> *finding

type finding struct {
	mapping weak.Pointer[mapping.IndexMappingImpl]
	fields  sync.Map // string -> struct{}
	rules   sync.Map // string -> []fieldRule
}

// foundIn returns what was found in m, or nil.
func foundIn(m *mapping.IndexMappingImpl) *finding {
	if f, ok := found.Load(uintptr(unsafe.Pointer(m))); ok && f.(*finding).mapping.Value() == m {
		return f.(*finding)
	}
	return nil
}

// find remembers that a field was found in m.
func find(m *mapping.IndexMappingImpl, field string) {
	known := foundIn(m)
	if known == nil {
		at, f := uintptr(unsafe.Pointer(m)), &finding{mapping: weak.Make(m)}
		known = f
		found.Store(at, f)
		runtime.AddCleanup(m, func(f *finding) { found.CompareAndDelete(at, f) }, f)
	}
	known.fields.Store(field, struct{}{})
}
