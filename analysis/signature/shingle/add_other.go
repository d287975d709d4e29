//go:build !amd64 || purego

package shingle

// AddWindows adds the fingerprints that w makes of tokens, and returns those that
// were not in s before, as Add does. scratch has room for them; what it holds
// afterwards is not said.
func (s *Set) AddWindows(w *Windows, tokens, scratch []uint64) (added []uint64) {
	return s.Add(w.Append(scratch[:0], tokens))
}
