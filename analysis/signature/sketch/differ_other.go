//go:build !amd64 || purego

package sketch

// Differ returns the number of lanes in which a and b differ; both must have the
// same length. It panics if b is shorter.
func Differ(a, b Sketch) int { return differGo(a, b) }
