package shingle

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// model is the plain set with which Set is compared.
type model struct {
	set     Set
	seen    map[uint64]struct{}
	members []uint64
}

func (m *model) reset() {
	m.set.Reset()
	m.seen, m.members = map[uint64]struct{}{}, nil
}

// add adds to both and compares everything that a Set can report.
func (m *model) add(t *testing.T, fingerprints []uint64) {
	t.Helper()
	var fresh []uint64
	for _, f := range fingerprints {
		if _, ok := m.seen[f]; !ok {
			m.seen[f] = struct{}{}
			fresh = append(fresh, f)
		}
	}
	m.members = append(m.members, fresh...)
	if got := m.set.Add(fingerprints); !slices.Equal(got, fresh) {
		t.Fatalf("Add of %d: got %d new ones %x, want %d %x", len(fingerprints), len(got), got, len(fresh), fresh)
	}
	if m.set.Len() != len(m.members) || !slices.Equal(m.set.Members(), m.members) {
		t.Fatalf("got %d members %x, want %d %x", m.set.Len(), m.set.Members(), len(m.members), m.members)
	}
}

func TestSet(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		next func(*rand.Rand) uint64
	}{
		{"random", func(r *rand.Rand) uint64 { return r.Uint64() }},
		{"many repeats", func(r *rand.Rand) uint64 { return r.Uint64N(500) << 55 }},
		{"one slot", func(r *rand.Rand) uint64 { return r.Uint64N(2000) }},
		{"last slots", func(r *rand.Rand) uint64 { return ^r.Uint64N(2000) }},
		{"clusters", func(r *rand.Rand) uint64 { return r.Uint64N(4)<<62 | r.Uint64N(300) }},
		{"zero and ones", func(r *rand.Rand) uint64 { return -r.Uint64N(2) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(5, 6))
			var m model
			for range 20 {
				m.reset()
				for range rnd.IntN(12) {
					batch := make([]uint64, rnd.IntN(600))
					for i := range batch {
						batch[i] = tt.next(rnd)
					}
					m.add(t, batch)
				}
			}
		})
	}
}

// After so many documents that slots hold numbers near the greatest, the table is cleared
// once.
func TestSetBase(t *testing.T) {
	t.Parallel()
	var m model
	m.reset()
	m.add(t, []uint64{1, 2, 3})
	m.set.table, m.set.base = make([]uint32, minTable), maxBase-5
	m.set.members = nil
	for i := range uint64(6) {
		m.reset()
		m.add(t, []uint64{i, i + 1, i})
		if wrapped := m.set.base < maxBase/2; wrapped != (i > 2) {
			t.Errorf("%d documents of 2 members from %d: base is %d", i, maxBase-5, m.set.base)
		}
	}
	m.reset()
	m.set.base = maxBase
	tokens := []uint64{1, 2, 1, 3, 2}
	if got := m.set.Add(tokens); len(got) != 3 {
		t.Errorf("%x are %d distinct shingles, want 3", tokens, len(got))
	}
}

// The load of a table, and its bytes per member once it has grown beyond the first one, are
// as the comment of Set says.
func TestSetLoad(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 8))
	var s Set
	for range 3 * keepSlots {
		s.Add([]uint64{rnd.Uint64()})
		bytes := float64(4*len(s.table)) / float64(s.Len())
		least, most := 6., 32.
		if len(s.table) < keepSlots {
			least = 16
		}
		if len(s.table) > keepSlots {
			most = 12
		}
		if bytes < least || s.Len() > minTable/4 && bytes > most {
			t.Fatalf("%d members in a table of %d slots, %.1f bytes a member", s.Len(), len(s.table), bytes)
		}
	}
}

// Reset keeps memory that will be used again, and releases the memory of a document much
// larger than others.
func TestSetReset(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(9, 10))
	for _, tt := range []struct {
		members, then int // in one document, and in the next
		keeps         bool
	}{
		{100, 100, true},
		{10000, 10000, true},
		{10000, 100, false},
		{keepSlots, 0, false},
		{300, 0, true},
	} {
		var m model
		m.reset()
		for _, n := range []int{tt.members, tt.then} {
			batch := make([]uint64, n)
			for i := range batch {
				batch[i] = rnd.Uint64()
			}
			m.add(t, batch)
			m.reset()
		}
		if keeps := len(m.set.table) > 0; keeps != tt.keeps {
			t.Errorf("%d members, then %d: table kept is %v, want %v", tt.members, tt.then, keeps, tt.keeps)
		}
		for _, p := range m.set.table {
			if p > m.set.base {
				t.Fatalf("%d members, then %d: Reset left an entry", tt.members, tt.then)
			}
		}
	}
}

func TestSetNoAllocations(t *testing.T) {
	batch := make([]uint64, 512)
	rnd := rand.New(rand.NewPCG(11, 12))
	for i := range batch {
		batch[i] = rnd.Uint64()
	}
	var s Set
	if n := testing.AllocsPerRun(10, func() {
		s.Reset()
		s.Add(batch)
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// Each byte of the input adds one fingerprint or ends a batch. Few bits of it are used, so
// that repetitions and clusters are frequent.
func FuzzSet(f *testing.F) {
	f.Add([]byte{}, uint64(0))
	f.Add([]byte{1, 2, 3, 1, 2, 255, 3}, uint64(1<<63|1))
	f.Add(binary.LittleEndian.AppendUint64(nil, 0xfefdff01fefdff01), ^uint64(0))
	f.Fuzz(func(t *testing.T, ops []byte, spread uint64) {
		var m model
		m.reset()
		var batch []uint64
		for _, op := range ops[:min(len(ops), 100)] { // clusters take quadratic time
			switch op {
			case 255:
				m.add(t, batch)
				batch = batch[:0]
			case 254:
				m.reset()
			case 253: // many at once, so that it grows
				for i := range uint64(100) {
					batch = append(batch, i*spread)
				}
			default:
				batch = append(batch, uint64(op)*spread)
			}
		}
		m.add(t, batch)
	})
}
