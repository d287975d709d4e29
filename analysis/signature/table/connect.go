package table

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// Connect joins each two of n signatures that meet rule, which must be valid, and finds the
// connected components. For each signature it returns a member of its component, the same
// member for the whole component. at returns the i-th signature, and false if there is
// none. Signatures of different scopes are never joined; scopes can be nil. If more than
// signatures decides, such as the texts, confirm says of a pair that meets the rule, by their
// positions, whether they are joined; it is asked once for most pairs, and never for two that are
// joined already. Otherwise confirm is nil. progress, if not nil, receives the share of the
// work that is done, from 0 to 1. Connect fails only if ctx ends.
//
// It works on few kinds of keys at a time: first the exact hash, then each band, then each
// block of the simhash. So it needs 35 bytes a signature, where tables of all keys would
// need 100. It sorts the signatures by the key and compares signatures with the same key,
// but only until they are joined (union-find):
//
//   - Of equal signatures only one continues. The others are joined to it and left out.
//   - Signatures that share a key and are joined already are skipped, in linear time.
//   - The rest are sets that are not joined yet. Each set is compared with the others,
//     member by member, until a pair meets the rule. Members of recent pairs are tried
//     first; in a family of near-copies the first or second try succeeds.
//   - In a large family only one member can be near the others: the original, if each
//     copy was changed in its own way. So the member nearest to the outline of the family
//     is tried before any other.
//
// So families cost time in proportion to their size, as long as their members are near many
// others, or near one. Signatures that share a key and are not near are compared pair by
// pair.
//
// It panics if n is negative, or ctx or at is nil.
func Connect(
	ctx context.Context, rule signature.Rule, n int, at func(i int) (signature.Signature, bool), scopes []uint64,
	confirm func(i, j int) bool, progress func(part float64),
) ([]uint32, error) {
	c := &connection{
		rule: rule, keys: map[int]*Keys{}, at: at, scopes: scopes, confirm: confirm, ctx: ctx,
		parent: make([]uint32, n), equal: make([]uint64, (n+63)/64),
	}
	lanes := 0
	for i := range n {
		c.parent[i] = uint32(i)
		if s, ok := at(i); ok {
			lanes = max(lanes, s.Lanes)
		}
	}
	widest := c.keysOf(lanes)
	for kind := range widest.Kinds() {
		if progress != nil {
			progress(float64(kind) / float64(widest.Kinds()))
		}
		if kind == 0 { // the other keys are of signatures that are not equal to others
			c.fill(widest, 0, 1)
		} else if kind%together == 1 {
			c.fill(widest, kind, min(kind+together, widest.Kinds()))
		}
		c.pass(widest, kind)
		if err := cmp.Or(c.err, ctx.Err()); err != nil {
			return nil, err
		}
	}
	for i := range c.parent {
		c.parent[i] = c.find(uint32(i))
	}
	return c.parent, nil
}

// together is how many kinds of keys are made at a time.
const together = 3

// connection is a Connect at work.
type connection struct {
	rule     signature.Rule
	keys     map[int]*Keys // by lanes
	at       func(i int) (signature.Signature, bool)
	scopes   []uint64
	confirm  func(i, j int) bool // nil for all pairs
	ctx      context.Context
	err      error
	compared int
	parent   []uint32 // of the union-find
	equal    []uint64 // bit i: i equals another signature, which continues

	entries [together][]uint64 // 32 bits of a key, and a position
	spare   []uint64
	shared  []uint64 // see thin
	ofBand  bool     // the keys are of a band
	ofBlock bool     // the keys are simhashes
	most    int      // lanes that may differ, in the current bucket

	nodes []node
	open  []list
}

func (c *connection) scope(i uint32) uint64 {
	if c.scopes == nil {
		return 0
	}
	return c.scopes[i]
}

// near reports whether two signatures of the same scope meet the rule.
func (c *connection) near(a *signature.Signature, i uint32, j uint32) bool {
	if c.compared++; c.compared&0xfff == 0 && c.err == nil {
		c.err = c.ctx.Err()
	}
	if c.scope(i) != c.scope(j) {
		return false
	}
	b, ok := c.at(int(j))
	return ok && c.rule.Duplicates(a, &b) && (c.confirm == nil || c.confirm(int(i), int(j)))
}

// fill makes an entry for each signature that continues and has a key, for the kinds from one to
// before another; widest is the Keys of most lanes. Signatures of fewer lanes can have fewer bands,
// and have as many blocks.
func (c *connection) fill(widest *Keys, from, to int) {
	for kind := from; kind < to; kind++ {
		e := &c.entries[kind%together]
		*e = slices.Grow((*e)[:0], len(c.parent))
	}
	for i := range c.parent {
		if c.equal[i/64]>>(i%64)&1 != 0 {
			continue
		}
		s, ok := c.at(i)
		if !ok {
			continue
		}
		k := widest
		if s.Lanes != k.lanes && s.Lanes > 0 {
			k = c.keysOf(s.Lanes)
		}
		salt := saltOf(s.Params, c.scope(uint32(i)))
		for kind := from; kind < to; kind++ {
			own := kind
			if kind > len(widest.bands) {
				own += len(k.bands) - len(widest.bands)
			} else if kind > len(k.bands) {
				continue
			}
			if key, ok := k.kind(own, &s, salt); ok {
				e := &c.entries[kind%together]
				*e = append(*e, tag(key)|uint64(i))
			}
		}
	}
}

// keysOf returns the Keys for sketches of that many lanes.
func (c *connection) keysOf(lanes int) *Keys {
	if c.keys[lanes] == nil {
		c.keys[lanes] = Plan{}.Keys(c.rule, lanes)
	}
	return c.keys[lanes]
}

// thin drops entries that share their first bits with no other, and keeps a few of them. Most
// signatures have no near-duplicate, and need no place in a sort.
func (c *connection) thin(entries []uint64, width int) []uint64 {
	slots := bits.Len(uint(8 * len(entries)))
	shift := 64 - min(width, slots)
	words := 1<<max(0, slots-6) + 1
	c.shared = slices.Grow(c.shared[:0], 2*words)[:2*words]
	clear(c.shared)
	once, twice := c.shared[:words], c.shared[words:]
	for _, e := range entries {
		word, bit := e>>shift/64, uint64(1)<<(e>>shift%64)
		twice[word] |= once[word] & bit
		once[word] |= bit
	}
	return slices.DeleteFunc(entries, func(e uint64) bool { return twice[e>>shift/64]>>(e>>shift%64)&1 == 0 })
}

// sort sorts entries by their upper halves: a radix sort by 11, 11 and 10 bits. The result takes the
// place of spare, and the entries become spare.
func (c *connection) sort(entries []uint64) []uint64 {
	if len(entries) < 1<<10 {
		slices.Sort(entries)
		return entries
	}
	c.spare = slices.Grow(c.spare[:0], len(entries))[:len(entries)]
	for _, shift := range []int{32, 43, 54} {
		var starts [1<<11 + 1]int
		for _, e := range entries {
			starts[e>>shift&(1<<11-1)+1]++
		}
		for i := 1; i < len(starts); i++ {
			starts[i] += starts[i-1]
		}
		for _, e := range entries {
			at := &starts[e>>shift&(1<<11-1)]
			c.spare[*at] = e
			*at++
		}
		entries, c.spare = c.spare, entries
	}
	return entries
}

// pass joins pairs that meet the rule among the entries that share a key.
func (c *connection) pass(k *Keys, kind int) {
	c.ofBand, c.ofBlock = kind > 0 && kind <= len(k.bands), kind > len(k.bands)
	width := min(32, k.Width(kind))
	entries := c.sort(c.thin(c.entries[kind%together], width))
	c.entries[kind%together] = entries
	for begin := 0; begin < len(entries) && c.err == nil; {
		end := begin + 1
		for end < len(entries) && (entries[begin]^entries[end])>>(64-width) == 0 {
			end++
		}
		if bucket := entries[begin:end]; len(bucket) > 1 {
			if kind == 0 && c.confirm == nil {
				bucket = c.joinEqual(bucket)
			}
			c.connect(bucket)
		}
		begin = end
	}
}

// joinEqual joins the signatures of a bucket that equal its first, which continues for them, and
// returns the first and the rest.
func (c *connection) joinEqual(bucket []uint64) []uint64 {
	first := uint32(bucket[0])
	s, _ := c.at(int(first))
	rest := bucket[:1]
	for _, e := range bucket[1:] {
		i := uint32(e)
		other, _ := c.at(int(i))
		if c.scope(i) == c.scope(first) && Equal(&s, &other) {
			c.join(first, i)
			c.equal[i/64] |= 1 << (i % 64)
		} else {
			rest = append(rest, e)
		}
	}
	return rest
}

// Equal reports whether two signatures are equal in all parts, or both nil.
func Equal(a, b *signature.Signature) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Params == b.Params && a.Exact == b.Exact && a.Simhash == b.Simhash && a.Tokens == b.Tokens &&
		a.Shingles == b.Shingles && a.Lanes == b.Lanes && slices.Equal(a.Sketch, b.Sketch)
}

func (c *connection) find(i uint32) uint32 {
	for c.parent[i] != i {
		c.parent[i] = c.parent[c.parent[i]]
		i = c.parent[i]
	}
	return i
}

// join joins the components of two signatures. The lesser position becomes the root.
func (c *connection) join(a, b uint32) {
	a, b = c.find(a), c.find(b)
	c.parent[max(a, b)] = min(a, b)
}

// node is an entry of a bucket, in a list of joined entries.
type node struct {
	entry  uint64
	differ lanes // from the outline of a large bucket
	root   uint32
	next   int32 // -1 at the end
}

// far reports whether the nodes alone show that the pair is too far apart to be joined by
// keys of this kind.
func (c *connection) far(a, b *node) bool {
	if c.ofBlock {
		return simhash.Distance(tag(a.entry), tag(b.entry)) > c.rule.Bits()
	}
	return a.differ.apart(b.differ) > c.most
}

// list is a list of nodes.
type list struct{ first, last int32 }

// connect joins pairs that meet the rule among the entries of one bucket.
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
	if c.most = sketch.MaxLanes; c.ofBand && len(c.nodes) >= minCenter {
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

// order sorts first before all others, and the others by position.
func order(i, first uint32) int {
	if i == first {
		return -1
	}
	return int(i)
}

// minCenter is the least number of entries in a bucket for which center pays.
const minCenter = 64

// center returns the signature nearest to the outline of the nodes, and notes for each node
// where it differs from the outline.
func (c *connection) center() uint32 {
	var o outline
	for n := range c.nodes {
		s, _ := c.at(int(uint32(c.nodes[n].entry)))
		o.add(&s)
	}
	c.most = o.lanes - c.rule.Need(o.lanes, 0)
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

// meet reports whether one of the nodes from begin to end meets the rule with a node of the
// list, and moves that node to the front of the list.
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
