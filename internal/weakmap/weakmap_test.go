package weakmap

import (
	"runtime"
	"sync"
	"testing"
	"time"
)

// What is kept is that of the value itself, whatever was at its address before, and goes with it.
func TestMap(t *testing.T) {
	t.Parallel()
	var m Map[[64]int, int]
	var wait sync.WaitGroup
	for worker := range 4 {
		wait.Go(func() {
			for i := range 500 {
				k := new([64]int)
				if got, _, ok := m.Get(k); ok {
					t.Errorf("a new value has %d", got)
				}
				for want := range 2 {
					m.Put(k, worker*1000+i+want)
					if got, of, ok := m.Get(k); !ok || got != worker*1000+i+want || of.Value() != k {
						t.Errorf("got %v, want %d", got, worker*1000+i+want)
					}
				}
				if i%100 == 99 {
					runtime.GC()
				}
				runtime.KeepAlive(k)
			}
		})
	}
	wait.Wait()
	left := func() (n int) {
		m.kept.Range(func(any, any) bool { n++; return true })
		return n
	}
	for end := time.Now().Add(time.Minute); left() > 0; time.Sleep(time.Millisecond) { // a cleanup runs after its collection
		if runtime.GC(); time.Now().After(end) {
			t.Fatalf("%d values that are gone are kept", left())
		}
	}
}
