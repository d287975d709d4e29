package main

import (
	"time"

	"github.com/neardup/bleve-neardup/examples/internal/documents"
)

// options is what the command line says.
type options struct {
	data      []string
	source    documents.Source
	label     string
	corpora   []string
	programs  []string
	list      string // file of programs
	threshold float64
	rounds    int
	deadline  time.Duration
	out       string
}
