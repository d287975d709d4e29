//go:build !amd64 || purego

package shingle

// AddWindows adds the fingerprints that w makes of tokens, and returns those that were not
// in s before, as Add does. scratch must have room for the fingerprints; its contents are
// undefined afterwards.
func (s *Set) AddWindows(w *Windows, tokens, scratch []uint64) (added []uint64) {
	return s.Add(w.Append(scratch[:0], tokens))
}
