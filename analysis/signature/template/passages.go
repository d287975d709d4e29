package template

import (
	"slices"
	"sync"
	"sync/atomic"
)

// passages are texts that a Set leaves out, as it met them in documents. The pages of a site have the same template:
// where one begins as a passage does, comparing the next tokens tells what looking up each of their
// shingles would.
type passages struct {
	tokens []uint64 // of all passages; a shingle within one is in the set
	ends   []uint16 // where the passage of a token ends
	places []uint16 // by the slot of a shingle: 1 + where it is in tokens, or 0
}

// memory has the passages of a Set. It is safe for concurrent use.
type memory struct {
	mu    sync.Mutex
	known atomic.Pointer[passages] // replaced, never changed
}

// same returns how many tokens, from the first on, are those of the passage in which the shingle of that
// slot stands.
func (p *passages) same(slot int, tokens []uint64) int {
	if p == nil || p.places[slot] == 0 {
		return 0
	}
	at := int(p.places[slot]) - 1
	passage := p.tokens[at:p.ends[at]]
	n := 0
	for n < len(passage) && n < len(tokens) && passage[n] == tokens[n] {
		n++
	}
	return n
}

// learn adds a passage, of which all shingles are in s, unless the passages have twice as many
// tokens as s has shingles: then there is room for what all documents share, but not for each change of it.
func (m *memory) learn(s *Set, tokens []uint64) {
	if !m.mu.TryLock() {
		return
	}
	defer m.mu.Unlock()
	old := m.known.Load()
	if old == nil {
		old = &passages{places: make([]uint16, len(s.slots))}
	}
	first, end := len(old.tokens), len(old.tokens)+len(tokens)
	if end > 2*len(s.prints)+s.width {
		return
	}
	p := &passages{slices.Concat(old.tokens, tokens), slices.Clone(old.ends), slices.Clone(old.places)}
	for i := range tokens {
		p.ends = append(p.ends, uint16(end))
		if i+s.width > len(tokens) {
			continue
		}
		if slot, ok := s.find(print(hash(tokens[i : i+s.width]))); ok && p.places[slot] == 0 {
			p.places[slot] = uint16(first + i + 1)
		}
	}
	m.known.Store(p)
}
