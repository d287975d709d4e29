//go:build !amd64 || purego

package simhash

type wide struct{}

func (*wide) reset() {}

func (c *Counter) add(features []uint64) { c.addGo(features) }

func (c *Counter) narrow() {}
