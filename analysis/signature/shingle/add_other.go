//go:build !amd64 || purego

package shingle

// AddWindows adds the fingerprints that w makes of tokens, and returns those that were not
// in s before, as Add does. scratch must have room for the fingerprints; its contents are
// undefined afterwards.
func (s *Set) AddWindows(w *Windows, tokens, scratch []uint64) (added []uint64) {
	return s.Add(w.Append(scratch[:0], tokens))
}

// AddAll is AddWindows, and also returns the fingerprints of all windows, in order. They are in dst, which must have room for
// them.
func (s *Set) AddAll(w *Windows, tokens, dst []uint64) (added, all []uint64) {
	all = w.Append(dst[:0], tokens)
	return s.Add(all), all
}
