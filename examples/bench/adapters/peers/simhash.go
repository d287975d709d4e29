package main

import (
	"math/bits"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/examples/bench/adapters/internal/lines"
)

// simhash is Charikar's simhash of words as Manku, Jain and Das Sarma (2007) use it: 64 bits, of which 3 may differ.
// The threshold has no part in it. All hashes are compared.
func simhash(docs []lines.Document, _ float64, w lines.Writer) error {
	hashes := make([]uint64, len(docs))
	var t lines.Text
	for i, d := range docs {
		var votes [64]int
		t.Read(d.Text)
		t.Runs(1, func(word []byte) {
			h := xxhash.Sum64(word)
			for bit := range votes {
				votes[bit] += int(h>>bit&1)*2 - 1
			}
		})
		for bit, v := range votes {
			if v > 0 {
				hashes[i] |= 1 << bit
			}
		}
		for j := range i {
			if bits.OnesCount64(hashes[i]^hashes[j]) <= 3 {
				w.Pair(docs[j].ID, docs[i].ID)
			}
		}
	}
	return nil
}
