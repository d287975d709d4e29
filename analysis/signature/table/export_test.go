package table

// Met returns the number of entries to which p's keys lead, without the exact hash.
func (f *Frozen) Met(p *Probe) (n int) {
	for key := range p.own[1:] {
		n += f.held(p, key+1, true)
	}
	return n
}

// Near is Near for one table.
func (f *Frozen) Near(p *Probe, yield func(i int) bool) bool {
	return Near([]*Frozen{f}, p, func(_, i int) bool { return yield(i) })
}

// Size returns the memory of the tables in bytes, without the Column.
func (f *Frozen) Size() int {
	n := 8 * len(f.scopes)
	for i := range f.tables {
		n += 4*len(f.tables[i].starts) + 4*len(f.tables[i].entries)
	}
	return n
}
