package shingle

// Counts numbers the copies of a fingerprint in one document. The zero Counts has
// seen none. It is not safe for concurrent use.
type Counts struct {
	seen map[uint64]uint64
}

// Next returns which copy of f this is: 1 for the first.
func (c *Counts) Next(f uint64) uint64 {
	if c.seen == nil {
		c.seen = map[uint64]uint64{}
	}
	n := c.seen[f] + 1
	c.seen[f] = n
	return n
}

// Reset forgets what was seen.
func (c *Counts) Reset() {
	if len(c.seen) > keepCounts {
		c.seen = nil // a map keeps its memory for ever, and clearing it takes time
		return
	}
	clear(c.seen)
}

// keepCounts bounds the memory that Reset retains.
const keepCounts = 1 << 14
