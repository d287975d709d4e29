// Package weakmap keeps what was found out about a value for as long as the value is there: see [Map].
package weakmap

import (
	"runtime"
	"sync"
	"unsafe"
	"weak"
)

// Map has a *V for values of type K, by their addresses. The zero Map is empty. It is safe for concurrent use.
//
// What is kept counts only if it is of that very value: another might have been at the address before. A weak
// pointer is no key, as making one takes too long.
type Map[K, V any] struct {
	kept sync.Map // uintptr -> *entry[K, V]
}

type entry[K, V any] struct {
	of    weak.Pointer[K]
	value V
}

// Get returns what is kept of k, or nil.
func (m *Map[K, V]) Get(k *K) *V {
	if e, ok := m.kept.Load(uintptr(unsafe.Pointer(k))); ok && e.(*entry[K, V]).of.Value() == k {
		return &e.(*entry[K, V]).value
	}
	return nil
}

// Make returns what is kept of k, or a zero V, which it keeps until k is collected.
func (m *Map[K, V]) Make(k *K) *V {
	if v := m.Get(k); v != nil {
		return v
	}
	at, e := uintptr(unsafe.Pointer(k)), &entry[K, V]{of: weak.Make(k)}
	m.kept.Store(at, e)
	runtime.AddCleanup(k, func(e *entry[K, V]) { m.kept.CompareAndDelete(at, e) }, e)
	return &e.value
}
