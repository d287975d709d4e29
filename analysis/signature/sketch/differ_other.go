//go:build !amd64 || purego

package sketch

func differing(a, b Sketch) int { return differingGo(a, b) }
