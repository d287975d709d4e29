package main

import (
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// grouping is all groups of the index under one rule. Of a group with more than
// maxCopies copies the others are only counted.
type grouping struct {
	groups        []near.Group
	more          []int
	docs, largest int
}

// groupCache keeps the last grouping: paging through one asks for it again and
// again, and the index does not change. A request that waits for another's grouping
// waits no longer than a request may take.
type groupCache struct {
	turn  chan struct{} // holds one if nobody is at it
	rule  signature.Rule
	chain bool
	last  *grouping
}
