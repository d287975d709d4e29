package table

import (
	"cmp"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
)

// How Connect joins what shares a key.

func (c *connection) find(i uint32) uint32 {
	for c.parent[i] != i {
		c.parent[i] = c.parent[c.parent[i]]
		i = c.parent[i]
	}
	return i
}

// join joins the components of two roots: the lesser position stays one.
func (c *connection) join(a, b uint32) {
	a, b = c.find(a), c.find(b)
	c.parent[max(a, b)] = min(a, b)
}

// far reports whether two entries of simhash bits tell that the pair is far apart.
func (c *connection) far(a, b uint64) bool {
	return c.close && simhash.Distance(tag(a), tag(b)) > c.plan.rule.Hamming
}

// node is an entry of a bucket, in a list of what is joined.
type node struct {
	entry uint64
	root  uint32
	next  int32 // -1 at the end
}

// list is a list of nodes.
type list struct{ first, last int32 }

// connect joins what meets the rule among the entries of one bucket.
func (c *connection) connect(bucket []uint64) {
	c.nodes = c.nodes[:0]
	apart := false
	for _, e := range bucket {
		c.nodes = append(c.nodes, node{entry: e, root: c.find(uint32(e))})
		apart = apart || c.nodes[0].root != c.nodes[len(c.nodes)-1].root
	}
	if !apart {
		return
	}
	slices.SortStableFunc(c.nodes, func(a, b node) int { return cmp.Compare(a.root, b.root) })
	open := c.open[:0]
	for begin := 0; begin < len(c.nodes) && c.err == nil; {
		end := begin
		for ; end < len(c.nodes) && c.nodes[end].root == c.nodes[begin].root; end++ {
			c.nodes[end].next = int32(end + 1)
		}
		c.nodes[end-1].next = -1
		joined := list{int32(begin), int32(end - 1)}
		kept := open[:0]
		for _, other := range open {
			if c.meet(begin, end, &other) {
				c.join(c.nodes[begin].root, c.nodes[other.first].root)
				c.nodes[other.last].next = joined.first
				joined.first = other.first
			} else {
				kept = append(kept, other)
			}
		}
		open = append(kept, joined)
		begin = end
	}
	c.open = open
}

// meet reports whether one of the nodes from begin to end meets the rule with one of
// a list, and brings that to the front.
func (c *connection) meet(begin, end int, l *list) bool {
	before := int32(-1)
	for j := l.first; j >= 0; before, j = j, c.nodes[j].next {
		entry := c.nodes[j].entry
		var s signature.Signature
		for i := begin; i < end && c.err == nil; i++ {
			if c.far(c.nodes[i].entry, entry) {
				continue
			}
			if s.Tokens == 0 {
				s, _ = c.at(int(uint32(entry)))
			}
			if !c.near(&s, uint32(entry), uint32(c.nodes[i].entry)) {
				continue
			}
			if before >= 0 {
				if c.nodes[before].next = c.nodes[j].next; l.last == j {
					l.last = before
				}
				c.nodes[j].next, l.first = l.first, j
			}
			return true
		}
	}
	return false
}
