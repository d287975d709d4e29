// Package mix has the step on which all fingerprints of signatures are built: see [Fold].
package mix

import "math/bits"

// Fold is the multiply-fold: the two halves of the 128-bit product, xored.
func Fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
