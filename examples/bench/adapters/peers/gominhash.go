package main

import (
	"iter"

	"github.com/cespare/xxhash/v2"
	"github.com/dgryski/go-minhash"

	"github.com/neardup/bleve-neardup/examples/bench/adapters/internal/lines"
)

// goMinhash is MinWise of github.com/dgryski/go-minhash. It has no index, so all sketches are compared.
func goMinhash(docs iter.Seq[lines.Document], threshold float64, w lines.Writer) error {
	var ids []string
	var sketches []*minhash.MinWise
	var t lines.Text
	for d := range docs {
		sketch := minhash.NewMinWise(xxhash.Sum64, second, lanes)
		t.Read(d.Text)
		t.Runs(4, sketch.Push)
		for j, other := range sketches {
			if sketch.Similarity(other) >= threshold-1e-9 {
				w.Pair(ids[j], d.ID)
			}
		}
		ids, sketches = append(ids, d.ID), append(sketches, sketch)
	}
	return nil
}

var digest = xxhash.NewWithSeed(1)

// second is a hash function besides xxHash64: the same with another seed.
func second(b []byte) uint64 {
	digest.ResetWithSeed(1)
	digest.Write(b)
	return digest.Sum64()
}
