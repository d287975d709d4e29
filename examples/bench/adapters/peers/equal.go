package main

import (
	"strings"

	"github.com/neardup/bleve-neardup/examples/bench/adapters/internal/lines"
)

// equal groups texts of the same words: what a hash of the text does, and the least that reading and answering costs.
func equal(docs []lines.Document, _ float64, w lines.Writer) error {
	first := map[string]int{}
	var groups [][]string
	for _, d := range docs {
		text := strings.Join(lines.Words(d.Text), " ")
		n, ok := first[text]
		if !ok {
			n = len(groups)
			first[text], groups = n, append(groups, nil)
		}
		groups[n] = append(groups[n], d.ID)
	}
	for _, g := range groups {
		if len(g) > 1 {
			w.Group(g)
		}
	}
	return nil
}
