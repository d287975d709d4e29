package main

import (
	"iter"

	"github.com/neardup/bleve-neardup/examples/bench/adapters/internal/lines"
)

// reading does no more than read, and splitting makes the words besides: what peers in Go pay before their work.
func reading(docs iter.Seq[lines.Document], _ float64, _ lines.Writer) error {
	for range docs {
	}
	return nil
}

func splitting(docs iter.Seq[lines.Document], _ float64, _ lines.Writer) error {
	var t lines.Text
	for d := range docs {
		t.Read(d.Text)
	}
	return nil
}

// equal groups texts of the same words: what a hash of the text does.
func equal(docs iter.Seq[lines.Document], _ float64, w lines.Writer) error {
	var t lines.Text
	return grouped(docs, w, func(text string) string {
		t.Read(text)
		return t.String()
	})
}

// grouped makes groups of documents with equal keys.
func grouped[K comparable](docs iter.Seq[lines.Document], w lines.Writer, key func(text string) K) error {
	groups := map[K][]string{}
	for d := range docs {
		k := key(d.Text)
		groups[k] = append(groups[k], d.ID)
	}
	for _, g := range groups {
		if len(g) > 1 {
			w.Group(g)
		}
	}
	return nil
}
