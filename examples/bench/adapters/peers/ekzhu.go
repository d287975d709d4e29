package main

import (
	minhashlsh "github.com/ekzhu/minhash-lsh"

	"github.com/neardup/bleve-neardup/examples/bench/adapters/internal/lines"
)

// lanes is the size of the sketches.
const lanes = 100

// ekzhu is github.com/ekzhu/minhash-lsh with the bands that it chooses for a resemblance of .1 less than is asked for,
// as candidates are judged by their lanes: bands for that resemblance would miss some of them once more.
func ekzhu(docs []lines.Document, threshold float64, w lines.Writer) error {
	lsh := minhashlsh.NewMinhashLSH(lanes, threshold-.1)
	sketches := make([][]uint64, len(docs))
	var t lines.Text
	for i, d := range docs {
		m := minhashlsh.NewMinhash(1, lanes)
		t.Read(d.Text)
		t.Runs(4, m.Push)
		sketches[i] = m.Signature()
		lsh.Add(i, sketches[i])
	}
	lsh.Index()
	for i, sketch := range sketches {
		for _, key := range lsh.Query(sketch) {
			if j := key.(int); j < i && agree(sketch, sketches[j]) >= threshold*lanes-1e-9 {
				w.Pair(docs[j].ID, docs[i].ID)
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
