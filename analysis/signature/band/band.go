// Package band derives candidate keys from signatures. Two documents that meet a rule share
// at least one key, so a lookup by all keys of a document misses nothing.
//
// If at least t of L lanes agree, at most L-t differ, so of L-t+1 disjoint bands of lanes
// at least one agrees as a whole. For 90 of 100 lanes that is 11 bands of 9 or 10 lanes. If
// two simhashes differ in at most k bits, at least one of k+1 blocks of bits agrees. For 3
// bits that is 4 blocks of 16 bits (Manku, Jain, Das Sarma, "Detecting near-duplicates for
// web crawling", WWW 2007). Neither is an approximation.
package band

import (
	"encoding/binary"
	"math/bits"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Bounds returns where part i of n nearly equal parts of total begins and ends: the parts
// of 100 in 11 have 9 or 10 lanes.
//
// It panics if n is 0.
func Bounds(total, n, i int) (begin, end int) {
	return total * i / n, total * (i + 1) / n
}

// Sketch returns the key of band i of n over the k lanes of s: xxHash64 of the
// band's lanes as little-endian 16-bit numbers.
//
// It panics if n is 0, or s has no such lanes.
func Sketch(s sketch.Sketch, k, n, i int) uint64 {
	var buf [2 * sketch.MaxLanes]byte
	begin, end := Bounds(k, n, i)
	p := buf[:0]
	for lane := begin; lane < end; lane++ {
		p = binary.LittleEndian.AppendUint16(p, s.Lane(lane))
	}
	return xxhash.Sum64(p)
}

// Simhash returns the bits of block i of n of a simhash.
//
// It panics if n is 0, or i is not from 0 to n-1.
func Simhash(h uint64, n, i int) uint64 {
	if n < len(blocks) {
		begin, end := blocks[n][i], blocks[n][i+1]
		return h >> begin & (1<<(end-begin) - 1)
	}
	begin, end := Bounds(64, n, i)
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
	begin, end := Bounds(bits.OnesCount64(whole), n, i)
	for at := range end {
		lowest := whole & -whole
		if at >= begin {
			mask |= lowest
		}
		whole &^= lowest
	}
	return mask
}
