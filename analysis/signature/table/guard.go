package table

// Documents made from one template have much of their text in common, so some bands
// of lanes agree in all of them, though hardly two are near-duplicates: one in six
// agrees in 8 given lanes at a resemblance of .8. A lookup then holds the probe
// against every sixth document for each band.

// Guard makes lookups pass over the keys of bands and simhash blocks that more than
// most documents of all the tables together hold, those of other parameters and
// scopes left aside, and returns how many those are. If that is not 0, near-duplicates
// that share no other key with the probe are not found. The exact hash is always
// followed: whatever it leads to is a match. Prepare takes the guard off again.
func (p *Probe) Guard(most int, tables ...*Frozen) (passed int) {
	p.guarded, p.passed = true, p.passed[:0]
	if !p.sized {
		return 0
	}
	for n := range len(p.keys) + p.plan.blocks {
		about, exactly := 0, 0
		for _, f := range tables {
			about += f.held(p, n, false)
		}
		if about > most {
			for _, f := range tables {
				exactly += f.held(p, n, true)
			}
		}
		p.passed = append(p.passed, exactly > most)
		if exactly > most {
			passed++
		}
	}
	return passed
}

// passes reports whether the guard keeps the n-th key from being followed.
func (p *Probe) passes(n int) bool { return p.guarded && n < len(p.passed) && p.passed[n] }

// held is how many documents hold the n-th key of the probe, or not exactly, how
// many its bucket has.
func (f *Frozen) held(p *Probe, n int, exactly bool) (count int) {
	a := f.column.packed.Load()
	if a == nil || f.exact.starts == nil || a.params != p.sig.Params || a.lanes != p.sig.Lanes {
		return 0 // looked up without keys
	}
	var key uint64
	var entries []uint32
	switch m := n - len(p.keys); {
	case m < 0:
		key = p.keys[n]
		entries = f.bands[n].of(key)
	case p.sig.Simhash == 0:
		return 0
	case f.masked == nil:
		b := &f.blocks[m]
		bucket, _ := b.split(p.sig.Simhash)
		return int(b.starts[bucket+1] - b.starts[bucket])
	default:
		key = f.masked[m].key(p.sig.Simhash, p.salt)
		entries = f.masked[m].of(key)
	}
	if !exactly {
		return len(entries)
	}
	want, mask := f.tag(key), uint32(1)<<f.docBits-1
	for _, entry := range entries {
		if entry&^mask == want {
			count++
		}
	}
	return count
}
