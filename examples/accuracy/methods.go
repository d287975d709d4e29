package main

import (
	"math"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// All sketches have 100 lanes, and 90 of them decide.
const (
	lanes = 100
	need  = 90
)

// method is a way to sketch sets and to compare the sketches.
type method struct {
	name string

	// kinds are the verdicts that it gives of a pair, in order.
	kinds []kind

	// slow methods see fewer pairs of large sets.
	slow bool

	// start returns a function that compares two sets and writes a verdict of
	// each kind. It is called once by each worker.
	start func() compare
}

// kind is one of the verdicts of a method: on lanes of so many bits, 0 where it has
// no lanes.
type kind struct {
	name string
	bits int
}

// compare writes a verdict for each kind of its method.
type compare func(a, b []uint64, out []verdict)

// laneKinds are the kinds of methods with lanes: as this library stores them, and
// as it would with 8 bits.
var laneKinds = []kind{{"16 bits", 16}, {"8 bits", 8}}

const (
	similarityName   = "fast similarity sketching"
	permutationsName = "independent permutations"
)

// methods returns all that are measured.
func methods() []method {
	return []method{
		{name: similarityName, kinds: laneKinds, start: similarity},
		{name: permutationsName, kinds: laneKinds, slow: true, start: permutations},
	}
}

// similarity is the sketch of this library, package sketch.
func similarity() compare {
	builder := sketch.NewBuilder(lanes, 0)
	build := func(dst sketch.Sketch, set []uint64) sketch.Sketch {
		builder.Reset()
		builder.Add(set)
		builder.Finish(set)
		return builder.Append(dst[:0])
	}
	var x, y sketch.Sketch
	return func(a, b []uint64, out []verdict) {
		x, y = build(x, a), build(y, b)
		compareLanes(x.Lane, y.Lane, out)
	}
}

// permutations is the classic MinHash: lane i is the least element under the i-th
// of 100 hash functions.
func permutations() compare {
	var x, y [lanes]uint64
	build := func(dst *[lanes]uint64, set []uint64) {
		for i := range dst {
			add, mul, least := token.Mix(0, uint64(2*i)), token.Mix(0, uint64(2*i+1))|1, uint64(math.MaxUint64)
			for _, e := range set {
				least = min(least, token.Fold(e^add, mul))
			}
			dst[i] = least
		}
	}
	return func(a, b []uint64, out []verdict) {
		build(&x, a)
		build(&y, b)
		lane := func(s *[lanes]uint64) func(int) uint16 {
			return func(i int) uint16 { return uint16(s[i]) }
		}
		compareLanes(lane(&x), lane(&y), out)
	}
}

// compareLanes counts the agreeing lanes, in full and in their low 8 bits.
func compareLanes(a, b func(int) uint16, out []verdict) {
	var wide, narrow int
	for i := range lanes {
		switch x := a(i) ^ b(i); {
		case x == 0:
			wide++
			narrow++
		case x&0xff == 0:
			narrow++
		}
	}
	for i, agree := range []int{wide, narrow} {
		out[i] = verdict{float64(agree) / lanes, agree >= need}
	}
}
