package main

import (
	"html/template"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// maxCopies is the most copies listed under a head.
const maxCopies = 50

// copied is a near-copy, and how it compares with what it is a copy of.
type copied struct {
	doc
	signature.Match
	Resemblance float64
	Shown       *comparison // with the head, if it is visible from the start
}

// Equal reports whether both texts are equal but for case, punctuation and space.
func (c copied) Equal() bool { return c.By&signature.ByExact != 0 }

// entry is an item of a list: a document with its near-copies.
type entry struct {
	doc
	Rank    int
	Snippet template.HTML
	Copies  []copied
	More    int  // copies that are not listed
	Rest    rest // of its project
	CopyOf  *doc // the head that would hide it
	Open    bool
	State   state
}

// rest is what else of a head's project is folded under it, without being a near-copy.
type rest struct {
	Count int
	To    *state // where it is shown; nil if the project is not among those to choose
}

// Count is the number of all copies.
func (e entry) Count() int { return len(e.Copies) + e.More }
