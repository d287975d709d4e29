//go:build !amd64 || purego

package shingle

// AddWindows adds the fingerprints that w makes of tokens, and returns those that were not
// in s before, as Add does. With keep it also returns all of them, in order, in scratch. scratch must have room
// for them; without keep its contents are undefined afterwards.
func (s *Set) AddWindows(w *Windows, tokens, scratch []uint64, keep bool) (added, all []uint64) {
	all = w.Append(scratch[:0], tokens)
	if added = s.Add(all); !keep {
		all = nil
	}
	return added, all
}
