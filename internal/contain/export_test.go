package contain

// Tables reports whether lookups of s were in tables in memory.
func (s *Snapshot) Tables() bool {
	_, ok := s.holders.(*inMemory)
	return ok
}
