package table

import (
	"cmp"
	"math/bits"
	"runtime"
	"slices"
	"sort"
)

// sortGroups puts the documents of each group one after another in each bucket, for First.
func (f *Frozen) sortGroups() {
	if f.groups == nil {
		return
	}
	for _, b := range f.tables {
		for i := range len(b.starts) - 1 {
			slices.SortFunc(b.entries[b.starts[i]:b.starts[i+1]], func(x, y uint32) int { return cmp.Compare(f.groupOf(x), f.groupOf(y)) })
		}
	}
}

// Group returns the group of document i.
func (f *Frozen) Group(i int) uint64 { return f.groups[i] }

// Members are the documents of a group.
func (f *Frozen) Members(group uint64) []uint32 {
	from := sort.Search(len(f.byGroup), func(i int) bool { return f.groups[f.byGroup[i]] >= group })
	rest := f.byGroup[from:]
	return rest[:sort.Search(len(rest), func(i int) bool { return f.groups[rest[i]] > group })]
}

// groupOf returns the group of the document of an entry.
func (f *Frozen) groupOf(entry uint32) uint64 { return f.groups[entry&(1<<f.docBits-1)] }

// First yields, for each group, at least one of the documents that meet the rule with p's signature, if yield returns
// true for it, and some more of them. yield is not asked for documents without a group.
//
// It panics if p was not prepared, or a table is nil or has no groups.
//
// It takes as long for many documents of a group as for a few, since a bucket has each group's documents one after another.
func First(tables []*Frozen, p *Probe, yield func(table, i int) bool) {
	if !p.keys.rule.Long(p.sig) {
		return
	}
	defer runtime.KeepAlive(tables)
	for n, f := range tables {
		f.first(p, func(i int) bool { return f.meets(p, i) && yield(n, i) })
	}
}

func (f *Frozen) first(p *Probe, yield func(i int) bool) {
	for _, i := range f.odd {
		if f.groups[i] != 0 {
			yield(i)
		}
	}
	a := f.column.packed.Load()
	if a == nil || a.params != p.sig.Params {
		return
	}
	if f.tables == nil || p.keys.scan {
		type met struct {
			group uint64
			equal bool
		}
		done := map[met]bool{} // two of a group serve: one of an equal text, and another one
		f.scan(p, a, true, func(i int) bool {
			if m := (met{f.groups[i], a.exacts[i] == p.sig.Exact}); m.group != 0 && !done[m] {
				done[m] = yield(i)
			}
			return true
		})
		return
	}
	mask := uint32(1)<<f.docBits - 1
	for n, key := range f.keysOf(p, a) {
		f.firstOfEach(f.tables[n].of(key), func(entry uint32) bool {
			return bits.OnesCount32((entry^f.tag(key))&^mask) <= p.may(n) && yield(int(entry&mask))
		})
	}
}

// firstOfEach calls yield with the entries of each group but 0, in the order of groups, until it returns true.
func (f *Frozen) firstOfEach(entries []uint32, yield func(uint32) bool) {
	for len(entries) > 0 {
		g, next := f.groupOf(entries[0]), 1
		if g == 0 || yield(entries[0]) {
			next = sort.Search(len(entries), func(i int) bool { return f.groupOf(entries[i]) > g })
		}
		entries = entries[next:]
	}
}
