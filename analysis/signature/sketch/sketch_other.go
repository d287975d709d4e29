//go:build !amd64 || purego

package sketch

func differing(a, b Sketch) int { return differingGo(a, b) }

func (b *Builder) throw(elements []uint64, round uint64) { b.throwGo(elements, round) }
