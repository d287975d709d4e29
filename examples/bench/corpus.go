package main

import (
	"bytes"
	"encoding/json"
)

// document is one document. Programs get a line of JSON for each, without the label.
type document struct {
	ID   string `json:"id"`
	Text string `json:"text"`

	// label is what versions of one document share; empty if nothing is known.
	label string
}

// corpus is what programs are measured on.
type corpus struct {
	name  string
	about string
	docs  []document
}

// lines are the documents as programs get them.
func (c corpus) lines() ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	for _, d := range c.docs {
		if err := e.Encode(d); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// labelled is the number of pairs that share a label.
func (c corpus) labelled() (pairs int) {
	of := map[string]int{}
	for _, d := range c.docs {
		if d.label != "" {
			pairs += of[d.label]
			of[d.label]++
		}
	}
	return pairs
}
