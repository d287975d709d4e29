package main

import "github.com/neardup/bleve-neardup/examples/bench/adapters/internal/lines"

// reading does no more than read: what all programs in Go pay before their work.
func reading([]lines.Document, float64, lines.Writer) error { return nil }

// splitting makes the words of each text, and no more.
func splitting(docs []lines.Document, _ float64, _ lines.Writer) error {
	var t lines.Text
	for _, d := range docs {
		t.Read(d.Text)
	}
	return nil
}

// equal groups texts of the same words: what a hash of the text does.
func equal(docs []lines.Document, _ float64, w lines.Writer) error {
	first := map[string]int{}
	var groups [][]string
	var t lines.Text
	for _, d := range docs {
		t.Read(d.Text)
		text := t.String()
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
