package main

import (
	"iter"
	"math/bits"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/examples/bench/adapters/internal/lines"
)

// simhash is Charikar's simhash of words as Manku, Jain and Das Sarma (2007) use it: 64 bits, of which 3 may differ.
// The threshold has no part in it. All hashes are compared.
func simhash(docs iter.Seq[lines.Document], _ float64, w lines.Writer) error {
	var ids []string
	var hashes []uint64
	var t lines.Text
	for d := range docs {
		var votes [64]int
		var hash uint64
		t.Read(d.Text)
		t.Runs(1, func(word []byte) {
			h := xxhash.Sum64(word)
			for bit := range votes {
				votes[bit] += int(h>>bit&1)*2 - 1
			}
		})
		for bit, v := range votes {
			if v > 0 {
				hash |= 1 << bit
			}
		}
		for j, other := range hashes {
			if bits.OnesCount64(hash^other) <= 3 {
				w.Pair(ids[j], d.ID)
			}
		}
		ids, hashes = append(ids, d.ID), append(hashes, hash)
	}
	return nil
}
