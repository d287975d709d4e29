package weakmap_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/neardup/bleve-neardup/internal/weakmap"
)

// What is kept is that of the value itself, whatever was at its address before.
func TestMap(t *testing.T) {
	t.Parallel()
	var m weakmap.Map[[64]int, int]
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
}
