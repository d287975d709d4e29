//go:build !purego

package sketch

// differWords is differing for n words, in assembly.
//
//go:noescape
func differWords(a, b *uint64, n int) int

// differing is Differ for sketches of the same length.
func differing(a, b Sketch) int {
	if len(a) == 0 {
		return 0
	}
	return differWords(&a[0], &b[0], len(a))
}
