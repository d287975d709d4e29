package main

import (
	"github.com/cespare/xxhash/v2"
	"github.com/dgryski/go-minhash"

	"github.com/neardup/bleve-neardup/examples/bench/adapters/internal/lines"
)

// goMinhash is MinWise of github.com/dgryski/go-minhash. It has no index, so all sketches are compared.
func goMinhash(docs []lines.Document, threshold float64, w lines.Writer) error {
	sketches := make([]*minhash.MinWise, len(docs))
	var t lines.Text
	for i, d := range docs {
		sketches[i] = minhash.NewMinWise(xxhash.Sum64, second, lanes)
		t.Read(d.Text)
		t.Runs(4, sketches[i].Push)
		for j := range i {
			if sketches[i].Similarity(sketches[j]) >= threshold-1e-9 {
				w.Pair(docs[j].ID, docs[i].ID)
			}
		}
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
