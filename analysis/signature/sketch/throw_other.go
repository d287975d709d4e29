//go:build !amd64 || purego

package sketch

func (b *Builder) throw(elements []uint64, round uint64) { b.throwGo(elements, round) }
