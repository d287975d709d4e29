package table

// touch loads the first entries that the lookup comes to, all at once, instead of
// one after the other once the one before is decided upon: at a million documents
// each has to come from memory.
func (f *Frozen) touch(p *Probe) (all uint32) {
	a := f.column.packed.Load()
	if a == nil || a.params != p.sig.Params || f.exact.starts == nil {
		return 0
	}
	all = f.exact.touch(p.exact)
	if !f.hasLanes(p, a) {
		return all
	}
	for n := range f.bands {
		all ^= f.bands[n].touch(p.keys[n])
	}
	for n := range f.blocks {
		b := &f.blocks[n]
		bucket, _ := b.split(p.sig.Simhash)
		if begin, end := b.starts[bucket], b.starts[bucket+1]; begin < end { // some lines of the cache
			all ^= uint32(b.entries[begin] ^ b.entries[(begin+end)/2] ^ b.entries[end-1])
		}
	}
	for n := range f.masked {
		t := &f.masked[n]
		all ^= t.touch(t.key(p.sig.Simhash, p.salt))
	}
	return all
}

func (b *buckets) touch(key uint64) uint32 {
	if at := b.starts[b.home(key)]; int(at) < len(b.entries) {
		return b.entries[at]
	}
	return 0
}
