package table

// Met returns the number of entries to which p's keys lead, without the exact hash.
func (f *Frozen) Met(p *Probe) (n int) {
	for key := range len(p.keys) + p.scheme.blocks {
		n += f.held(p, key, true)
	}
	return n
}
