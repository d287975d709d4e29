package table

import (
	"cmp"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
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

// node is an entry of a bucket, in a list of what is joined.
type node struct {
	entry  uint64
	differ lanes // from the outline of a large bucket
	root   uint32
	next   int32 // -1 at the end
}

// far reports whether two nodes tell that the pair is too far apart to be joined by
// keys of this kind.
func (c *connection) far(a, b *node) bool {
	if c.kind == ofBlock {
		return simhash.Distance(tag(a.entry), tag(b.entry)) > c.plan.rule.Hamming
	}
	return a.differ.apart(b.differ) > c.most
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
	first := uint32(bucket[0])
	if c.most = sketch.MaxLanes; c.kind == ofBand && len(c.nodes) >= minCenter {
		first = c.center()
	}
	root := c.find(first)
	slices.SortFunc(c.nodes, func(a, b node) int {
		if a.root == b.root {
			return cmp.Compare(order(uint32(a.entry), first), order(uint32(b.entry), first))
		}
		return cmp.Compare(order(a.root, root), order(b.root, root))
	})
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

// order brings first before all others, and those in the order of their positions.
func order(i, first uint32) int {
	if i == first {
		return -1
	}
	return int(i)
}

// minCenter is how many entries a bucket has at least for which center pays.
const minCenter = 64

// center returns the signature nearest to the outline of the nodes, and notes for each
// node where it differs from that.
func (c *connection) center() uint32 {
	var o outline
	for n := range c.nodes {
		s, _ := c.at(int(uint32(c.nodes[n].entry)))
		o.add(&s)
	}
	c.most = o.lanes - c.plan.rule.Need(o.lanes)
	best, least := uint32(c.nodes[0].entry), o.lanes+1
	for n := range c.nodes {
		node := &c.nodes[n]
		s, _ := c.at(int(uint32(node.entry)))
		if node.differ = o.differ(&s); s.Lanes == o.lanes {
			if differ := sketch.Differ(s.Sketch, o.common); differ < least {
				best, least = uint32(node.entry), differ
			}
		}
	}
	return best
}

// meet reports whether one of the nodes from begin to end meets the rule with one of
// a list, and brings that to the front.
func (c *connection) meet(begin, end int, l *list) bool {
	before := int32(-1)
	for j := l.first; j >= 0; before, j = j, c.nodes[j].next {
		node := &c.nodes[j]
		var s signature.Signature
		for i := begin; i < end && c.err == nil; i++ {
			if c.far(&c.nodes[i], node) {
				continue
			}
			if s.Tokens == 0 {
				s, _ = c.at(int(uint32(node.entry)))
			}
			if !c.near(&s, uint32(node.entry), uint32(c.nodes[i].entry)) {
				continue
			}
			if before >= 0 {
				if c.nodes[before].next = node.next; l.last == j {
					l.last = before
				}
				node.next, l.first = l.first, j
			}
			return true
		}
	}
	return false
}
