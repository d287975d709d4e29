// Package weakmap keeps what was found out about a value for as long as the value is there: see [Map].
package weakmap

import (
	"runtime"
	"sync"
	"unsafe"
	"weak"
)

// Map has a V for values of type K, by their addresses. The zero Map is empty. It is safe for concurrent use.
//
// What is kept counts only if it is of that very value: another might have been at the address before. A weak
// pointer is no key, as making one takes up to 4 µs.
type Map[K, V any] struct {
	kept sync.Map // uintptr -> *entry[K, V]
}

type entry[K, V any] struct {
	of    weak.Pointer[K]
	value V
}

// Get returns what is kept of k, and a weak pointer to k; false if nothing is.
func (m *Map[K, V]) Get(k *K) (v V, of weak.Pointer[K], ok bool) {
	if e, found := m.kept.Load(uintptr(unsafe.Pointer(k))); found {
		if e := e.(*entry[K, V]); e.of.Value() == k {
			return e.value, e.of, true
		}
	}
	return v, of, false
}

// Put keeps v until k is collected, in place of what was kept of k. v must not keep k.
func (m *Map[K, V]) Put(k *K, v V) {
	at, e := uintptr(unsafe.Pointer(k)), &entry[K, V]{weak.Make(k), v}
	m.kept.Store(at, e)
	runtime.AddCleanup(k, func(e *entry[K, V]) { m.kept.CompareAndDelete(at, e) }, e)
}
