//go:build !amd64 || purego

package blocks

func find(masks []uint64, folded, text []byte) int { return findGo(masks, folded, text) }
