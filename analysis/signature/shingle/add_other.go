//go:build !amd64 || purego

package shingle

// AddWindows adds the fingerprints that w makes of tokens. It returns those that were not in s before, as
// Add does, and all of them, in order. The latter are in dst, which must have room for them.
func (s *Set) AddWindows(w *Windows, tokens, dst []uint64) (added, all []uint64) {
	all = w.Append(dst[:0], tokens)
	return s.Add(all), all
}
