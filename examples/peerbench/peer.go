package main

import (
	"encoding/binary"
	"math/rand/v2"
)

// Sketches have 100 lanes where a peer lets us choose.
const lanes = 100

// peer is one row of the table.
type peer struct {
	name string

	// missing is the command that installs it; then it cannot do anything.
	missing string

	// pass does all documents once.
	pass func() error

	// cpu is the CPU time in ns that passes have taken so far, of this process or
	// another.
	cpu func() (int64, error)

	// bytes is what it keeps of a document, on average; 0 for nothing that serves
	// to compare documents.
	bytes float64

	// agree returns the number of agreeing lanes, of 100, of two sets of 64-bit
	// elements; nil if it makes no MinHash of so many lanes.
	agree func(a, b []uint64) int

	// accept is in place of agree for a peer that makes the random sets itself.
	accept func(pairs, common, union int) (float64, error)

	// stop ends what was started.
	stop func()
}

// accepted is the share of pairs of resemblance common / union, of random sets, of
// which 90 of 100 lanes agree.
func (p *peer) accepted(pairs, common, union int) (float64, error) {
	if p.accept != nil {
		return p.accept(pairs, common, union)
	}
	rnd := rand.New(rand.NewPCG(uint64(common), uint64(union)))
	count := 0
	var a, b []uint64
	for range pairs {
		a, b = pair(rnd, a, b, common, union)
		if p.agree(a, b) >= 9*lanes/10 {
			count++
		}
	}
	return float64(count) / float64(max(1, pairs)), nil
}

// pair makes two sets of random elements with common ones, union in all: the others
// belong to either in turn.
func pair(rnd *rand.Rand, a, b []uint64, common, union int) (x, y []uint64) {
	a, b = a[:0], b[:0]
	for i := range union {
		e := rnd.Uint64()
		if i < common || i%2 == 0 {
			a = append(a, e)
		}
		if i < common || i%2 == 1 {
			b = append(b, e)
		}
	}
	return a, b
}

// agreeing makes agree of a peer that takes elements as bytes.
func agreeing(sketch sketcher) func(a, b []uint64) int {
	of := func(set []uint64) []uint64 {
		var buf [8]byte
		return sketch(func(each func([]byte)) {
			for _, e := range set {
				binary.LittleEndian.PutUint64(buf[:], e)
				each(buf[:])
			}
		})
	}
	return func(a, b []uint64) (n int) {
		x, y := of(a), of(b)
		for i := range x {
			if x[i] == y[i] {
				n++
			}
		}
		return n
	}
}
