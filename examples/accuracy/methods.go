package main

import (
	"math"

	"github.com/neardup/bleve-neardup/analysis/classic"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Sketches have 100 lanes or values, and 90 of them decide.
const (
	lanes = 100
	need  = 90
)

// method is a way to sketch sets and to compare the sketches.
type method struct {
	name string

	// kinds are the verdicts that it gives of a pair, in order.
	kinds []kind

	// budget is how many elements the pairs of a cell may have with defaultPairs, so
	// that slow methods see fewer pairs of large sets.
	budget int

	// start returns a function that compares two sets and writes a verdict of
	// each kind. It is called once by each worker.
	start func() compare
}

// kind is one of the verdicts of a method: on lanes of so many bits, or 0 where it
// does not count lanes.
type kind struct {
	name string
	bits int
}

// compare writes a verdict for each kind of its method.
type compare func(a, b []uint64, out []verdict)

// The kinds of verdicts on lanes: as this library stores them, and as it would with
// 8 bits.
var laneKinds = []kind{{"16 bits", 16}, {"8 bits", 8}}

// supershingles is a verdict on the same lanes by another rule.
var supershingles = kind{name: "2 of 6 supershingles"}

const (
	similarityName   = "fast similarity sketching"
	permutationsName = "independent permutations"
	bottomName       = "bottom-100"
	modName          = "mod m"
)

// methods returns all that are measured.
func methods() []method {
	return []method{
		{name: similarityName, kinds: append(laneKinds[:2:2], supershingles), budget: 80_000_000, start: similarity},
		{name: permutationsName, kinds: laneKinds, budget: 1_500_000, start: permutations},
		{name: bottomName, kinds: []kind{{name: "100 values"}}, budget: 10_000_000, start: bottomSketch},
		{name: modName, kinds: []kind{{name: "m = 25"}, {name: "50 to 100 values"}}, budget: 10_000_000, start: modSketch},
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
	plan := classic.DefaultPlan()
	var x, y sketch.Sketch
	return func(a, b []uint64, out []verdict) {
		x, y = build(x, a), build(y, b)
		compareLanes(x, y, out)
		s, t := classic.SupershinglesOf(plan, x, 0), classic.SupershinglesOf(plan, y, 0)
		out[2] = verdict{math.NaN(), plan.Duplicates(&s, &t)}
	}
}

// permutations is the classic MinHash.
func permutations() compare {
	p := classic.MinwiseParams{Lanes: lanes}
	return func(a, b []uint64, out []verdict) {
		x, y := classic.MinwiseOf(p, a), classic.MinwiseOf(p, b)
		compareLanes(x.Pack(), y.Pack(), out)
	}
}

// compareLanes counts the agreeing lanes, in full and in their low 8 bits.
func compareLanes(a, b sketch.Sketch, out []verdict) {
	var wide, narrow int
	for i := range lanes {
		switch x := a.Lane(i) ^ b.Lane(i); {
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

// bottomSketch is the 100 least elements of a set.
func bottomSketch() compare {
	p := classic.BottomParams{Size: lanes}
	return func(a, b []uint64, out []verdict) {
		x, y := classic.BottomOf(p, a), classic.BottomOf(p, b)
		out[0] = estimated(classic.BottomResemblance(&x, &y))
	}
}

// modSketch is the elements divisible by 25, as in AltaVista, and by what leaves the
// larger document 50 to 100 of them, if it has as many.
func modSketch() compare {
	return func(a, b []uint64, out []verdict) {
		m := classic.ModmModulus(uint64(max(len(a), len(b))), lanes)
		for i, p := range []classic.ModmParams{{Modulus: 25}, {Modulus: m}} {
			x, y := classic.ModmOf(p, a), classic.ModmOf(p, b)
			out[i] = estimated(classic.ModmResemblance(&x, &y))
		}
	}
}

// estimated takes sets for duplicates if their estimated resemblance is as great as
// for 90 of 100 lanes.
func estimated(r sketch.Estimate, ok bool) verdict {
	if !ok {
		return verdict{estimate: math.NaN()}
	}
	return verdict{r.Value, r.Value >= float64(need)/lanes}
}
