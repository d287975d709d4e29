package main

import (
	"iter"

	minhashlsh "github.com/ekzhu/minhash-lsh"

	"github.com/neardup/bleve-neardup/examples/bench/adapters/internal/lines"
)

// lanes is the size of the sketches.
const lanes = 100

// ekzhu is github.com/ekzhu/minhash-lsh with the bands that it chooses for a resemblance of .1 less than is asked for,
// as candidates are judged by their lanes: bands for that resemblance would miss some of them once more.
func ekzhu(docs iter.Seq[lines.Document], threshold float64, w lines.Writer) error {
	lsh := minhashlsh.NewMinhashLSH(lanes, threshold-.1)
	var ids []string
	var sketches [][]uint64
	var t lines.Text
	for d := range docs {
		m := minhashlsh.NewMinhash(1, lanes)
		t.Read(d.Text)
		t.Runs(4, m.Push)
		ids, sketches = append(ids, d.ID), append(sketches, m.Signature())
		lsh.Add(len(ids)-1, sketches[len(ids)-1])
	}
	lsh.Index()
	for i, sketch := range sketches {
		for _, key := range lsh.Query(sketch) {
			if j := key.(int); j < i && agree(sketch, sketches[j]) >= threshold*lanes-1e-9 {
				w.Pair(ids[j], ids[i])
			}
		}
	}
	return nil
}

// agree is the number of lanes that agree.
func agree(a, b []uint64) (n float64) {
	for i := range a {
		if a[i] == b[i] {
			n++
		}
	}
	return n
}
