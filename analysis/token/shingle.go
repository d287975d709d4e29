package token

import (
	"slices"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/internal/component"
	"github.com/neardup/bleve-neardup/analysis/signature"
)

// Shingle is the name, in a mapping, of the token filter that replaces the tokens of a text by the
// fingerprints of its shingles, as terms of 16 hexadecimal digits. Documents that share
// terms share shingles, and the number of common terms gives their resemblance.
//
// Configuration, all optional:
//
//	"width":  tokens in a shingle, 1 to 16 (4)
//	"fingerprint": "polynomial", "xxhash64", "rabin64" or "rabin40" ("polynomial")
//	"bag":    true makes each copy of a shingle a term of its own (false)
//	"seed":   of the fingerprints, a number or a string like "0x5eed" (0)
//	"sample": "all", "mod" or "bottom" ("all")
//	"m":      for "mod": keep the fingerprints divisible by m, 1 or more (25)
//	"s":      for "bottom": keep the s smallest fingerprints, 1 or more (100)
//
// A mod-m sample grows with the document and gives resemblance and containment; a bottom-s
// sample has a fixed size and gives resemblance (Broder, "On the resemblance and
// containment of documents", 1997). Each term is emitted once per document.
//
// Terms are the fingerprints themselves. With "xxhash64" they are the xxHash64 of the terms
// of a shingle joined by one space. With "rabin64" and "rabin40" they are the remainders,
// of 64 and 40 bits, before signatures mix them; "m" and "s" apply to these numbers. They
// are as random as the token hashes and the polynomial, so a sample is as fair as with the
// others. With "bag", the second copy of a shingle and each later copy has a pseudo-random
// number of as many bits.
const Shingle = "neardup_shingle"

// Sample says which fingerprints of a document become terms.
type Sample struct {
	// Mod, if not 0, keeps the fingerprints divisible by it.
	Mod uint64
	// Bottom, if not 0, keeps that many of the smallest fingerprints.
	Bottom int
}

// The defaults of "m" and "s": AltaVista's modulus, and the number of lanes of a sketch.
const (
	defaultMod    = 25
	defaultBottom = 100
	maxSample     = 1<<31 - 1 // fits an int where that has 32 bits, so that a mapping opens on every machine
)

// ReadSample reads a Sample from "m" and "s", for the kind "all", "mod" or "bottom". The
// constructors of this module call it.
func ReadSample(r *component.Reader, kind string) Sample {
	mod := r.Int("m", defaultMod, 1, maxSample)
	bottom := r.Int("s", defaultBottom, 1, maxSample)
	switch kind {
	case "mod":
		return Sample{Mod: uint64(mod)}
	case "bottom":
		return Sample{Bottom: bottom}
	}
	return Sample{}
}

// Terms returns the terms of a document's distinct fingerprints, in ascending order, each
// as a token over the whole text of size bytes.
func (s Sample) Terms(fingerprints []uint64, size int) analysis.TokenStream {
	kept := make([]uint64, 0, len(fingerprints))
	for _, f := range fingerprints {
		if s.Mod == 0 || f%s.Mod == 0 {
			kept = append(kept, f)
		}
	}
	slices.Sort(kept)
	if s.Bottom > 0 && len(kept) > s.Bottom {
		kept = kept[:s.Bottom]
	}
	return component.Terms(kept, size)
}

func newShingle(values map[string]any, _ *registry.Cache) (analysis.TokenFilter, error) {
	r := component.New(Shingle, values)
	p := r.Params()
	sample := ReadSample(r, component.Choice(r, "sample", "all", "all", "mod", "bottom"))
	return component.Filter(r, p, func(m *signature.Maker, size int) analysis.TokenStream {
		return sample.Terms(m.Shingles(), size)
	})
}
