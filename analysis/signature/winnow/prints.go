package winnow

import (
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/internal/codec"
)

// Bits is the number of bits that are kept of a selected fingerprint, the lowest ones: 40. Selected are the
// least, so the highest bits are nearly all 0. Of 17 million fingerprints, those of a million documents of 400 words,
// one of 65,000 has the lowest bits of another.
const Bits = 40

// Print returns what is kept of a fingerprint.
func Print(fingerprint uint64) uint64 { return fingerprint & (1<<Bits - 1) }

const version = 1

// Prints are the selected fingerprints of a document.
type Prints struct {
	// Params is the signature.Params.ID of the parameters by which they were made and selected.
	Params uint32 `json:"params"`

	// Values has what is kept of each, ascending.
	Values []uint64 `json:"values"`
}

// Of returns the Prints of selected fingerprints, in any order, which can contain some several times. It
// copies them.
func Of(params uint32, selected []uint64) Prints {
	p := Prints{Params: params}
	if len(selected) > 0 {
		p.Values = make([]uint64, len(selected))
		for i, f := range selected {
			p.Values[i] = Print(f)
		}
		slices.Sort(p.Values)
		p.Values = slices.Compact(p.Values)
	}
	return p
}

// MarshalBinary returns the stored form of p: that of internal/codec, with the values by their distances. It has
// 13 bytes and 6 for each value in a short document, and fewer for each in a long one.
func (p Prints) MarshalBinary() ([]byte, error) {
	data := codec.Begin(nil, codec.Winnow, version, p.Params)
	return codec.Seal(codec.AppendAscending(data, p.Values), 0), nil
}

// UnmarshalBinary reads a stored form. It returns an error that wraps signature.ErrVersion or
// signature.ErrMalformed, and then leaves p unchanged.
func (p *Prints) UnmarshalBinary(data []byte) error {
	r := codec.Open(data, codec.Winnow, version)
	read := r.Distances(uint64(len(data)), Bits)
	if err := r.Close(); err != nil {
		return err
	}
	*p = Prints{Params: r.Params, Values: read}
	return nil
}

// Has reports whether p has a value.
func (p Prints) Has(value uint64) bool {
	_, ok := slices.BinarySearch(p.Values, value)
	return ok
}

// Containment estimates how much of a stands in b, and of b in a, by the share of one's values that the
// other has. What the two share in passages shorter than a window counts by chance. The standard error
// is that of a sample of as many independent places, so it is a lower bound: neighbours are in one passage.
// ok is false if the two were made with different parameters, or one has no values.
func Containment(a, b Prints) (aInB, bInA sketch.Estimate, ok bool) {
	if a.Params != b.Params || len(a.Values) == 0 || len(b.Values) == 0 {
		return aInB, bInA, false
	}
	shared := 0
	for _, v := range a.Values {
		if b.Has(v) {
			shared++
		}
	}
	return share(shared, len(a.Values)), share(shared, len(b.Values)), true
}

func share(shared, of int) sketch.Estimate {
	e := sketch.Sampled(shared, of, 0)
	if e.StdErr == 0 {
		e.StdErr = sketch.Unanimous(of)
	}
	return e
}
