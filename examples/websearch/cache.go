package main

import (
	"sync"

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

// lastCache keeps the last answer.
type lastCache struct {
	mu       sync.Mutex
	question [2]string
	answer   any
}

// of returns the answer to a question if that was the last one, or else nil.
func (c *lastCache) of(question [2]string) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.question != question {
		return nil
	}
	return c.answer
}

func (c *lastCache) keep(question [2]string, answer any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.question, c.answer = question, answer
}
