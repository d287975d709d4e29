package gate

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

// UsesKey is the key, among the internal values of an index, under which it keeps how often its
// marks were used.
const UsesKey = "neardup/uses"

// keptEvery is how long uses can wait until they are kept, if the index is written to.
const keptEvery = time.Minute

// uses are how often marks were used since they were set. A use belongs to a mark as it was set:
// a mark that is set anew begins anew.
type uses struct {
	read  bool
	of    map[uint64]use // by useKey
	kept  time.Time      // when they were kept last, or the first use after that
	fresh bool           // some are not kept
}

type use struct {
	count uint64
	last  time.Time
}

// useKey is the key of the uses of a mark, from its name and its stored form: names of marks
// that were removed are not to be found in the index.
func useKey(name string, text []byte) uint64 {
	h := xxhash.New()
	h.WriteString(name)
	h.Write([]byte{0})
	h.Write(text)
	return h.Sum64()
}

const useBytes = 24

// load reads what the index has kept, once.
func (u *uses) load(value []byte) error {
	if u.read {
		return nil
	}
	if len(value)%useBytes != 0 {
		return fmt.Errorf("admission: internal value %s: wanted a multiple of %d bytes, got %d", UsesKey, useBytes, len(value))
	}
	u.read, u.of = true, map[uint64]use{}
	for ; len(value) > 0; value = value[useBytes:] {
		n := binary.BigEndian.Uint64
		u.of[n(value)] = use{n(value[8:]), time.Unix(0, int64(n(value[16:]))).UTC()}
	}
	return nil
}

// used returns a mark with its uses.
func (m *marks) used(k *keptMark) admission.Mark {
	mark := *k.Mark
	if u, ok := m.uses.of[k.key]; ok {
		mark.Used += u.count
		mark.LastUsed = u.last
	}
	return mark
}

// use counts the uses of marks by verdicts.
func (m *marks) use(verdicts []admission.Verdict, now time.Time) {
	for _, v := range verdicts {
		k := m.all[v.Mark]
		if v.Mark == "" || k == nil {
			continue
		}
		if !m.uses.fresh && m.uses.kept.Before(now.Add(-keptEvery)) {
			m.uses.kept = now
		}
		m.uses.fresh = true
		m.uses.of[k.key] = use{m.uses.of[k.key].count + 1, now.UTC()}
	}
}

// encode returns the stored form of the uses of all marks that there are.
func (m *marks) encode() []byte {
	value := make([]byte, 0, useBytes*len(m.uses.of))
	for _, k := range m.sorted() {
		if u, ok := m.uses.of[k.key]; ok {
			value = binary.BigEndian.AppendUint64(value, k.key)
			value = binary.BigEndian.AppendUint64(value, u.count)
			value = binary.BigEndian.AppendUint64(value, uint64(u.last.UnixNano()))
		}
	}
	return value
}

// Uses returns the stored form of the uses of marks, nil if there is nothing new, or if now is
// not set and some were kept within a minute. The caller writes it under UsesKey, and calls
// failed if it cannot.
func (g *Gate) Uses(now bool) (value []byte, failed func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	u := &g.marks.uses
	if !u.fresh || !g.marks.read || !now && g.now().Sub(u.kept) < keptEvery {
		return nil, nil
	}
	u.fresh, u.kept = false, g.now()
	return g.marks.encode(), func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		u.fresh = true
	}
}
