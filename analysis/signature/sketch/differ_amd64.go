//go:build !purego

package sketch

// differWords is differGo for n words, in assembly.
//
//go:noescape
func differWords(a, b *uint64, n int) int

// Differ returns the number of lanes in which a and b differ; both must have the
// same length. It panics if b is shorter.
func Differ(a, b Sketch) int {
	if len(a) == 0 {
		return 0
	}
	b = b[:len(a)]
	return differWords(&a[0], &b[0], len(a))
}
