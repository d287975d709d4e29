package simhash

import "math/bits"

// If two simhashes differ in at most k bits, at least one of k+1 blocks of bits agrees. For 3
// bits that is 4 blocks of 16 bits (Manku, Jain, Das Sarma, "Detecting near-duplicates for
// web crawling", WWW 2007).

// Block returns the bits of block i of n of a simhash: documents that meet a rule share at least one.
//
// It panics if n is 0, or i is not from 0 to n-1.
func Block(h uint64, n, i int) uint64 {
	if n < len(blocks) {
		begin, end := blocks[n][i], blocks[n][i+1]
		return h >> begin & (1<<(end-begin) - 1)
	}
	begin, end := 64*i/n, 64*(i+1)/n
	return h >> begin & (1<<(end-begin) - 1)
}

// blocks has, by n, where each block of a simhash begins: a search makes keys of some hundred
// signatures, and to divide 64 anew for each took a fiftieth of its time.
var blocks = func() (all [8][]uint8) {
	for n := 1; n < len(all); n++ {
		for i := range n + 1 {
			all[n] = append(all[n], uint8(64*i/n))
		}
	}
	return all
}()

// Mask divides the bits that are set in whole into n blocks of nearly equal size, counted
// from the lowest bit, and returns the bits of block i. It panics if n is 0.
func Mask(whole uint64, n, i int) (mask uint64) {
	total := bits.OnesCount64(whole)
	begin, end := total*i/n, total*(i+1)/n
	for at := range end {
		lowest := whole & -whole
		if at >= begin {
			mask |= lowest
		}
		whole &^= lowest
	}
	return mask
}
