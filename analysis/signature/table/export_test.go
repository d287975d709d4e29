package table

// Met is the number of entries that p's keys lead to, the exact hash's left out.
func (f *Frozen) Met(p *Probe) (n int) {
	for key := range len(p.keys) + p.scheme.blocks {
		n += f.held(p, key, true)
	}
	return n
}
