//go:build !amd64 || purego

package planes

type wide struct{}

func (*wide) reset() {}

func (c *Counters) add(numbers []uint64) { c.addGo(numbers) }

func (c *Counters) narrow() {}
