package marks

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

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

const useBytes = 24

// load reads what the index has kept, once.
func (u *uses) load(value []byte) error {
	if u.read {
		return nil
	}
	if len(value)%useBytes != 0 {
		return fmt.Errorf("admission: uses of marks: wanted a multiple of %d bytes, got %d", useBytes, len(value))
	}
	u.read, u.of = true, map[uint64]use{}
	for ; len(value) > 0; value = value[useBytes:] {
		n := binary.BigEndian.Uint64
		u.of[n(value)] = use{n(value[8:]), time.Unix(0, int64(n(value[16:]))).UTC()}
	}
	return nil
}

// used returns a mark with its uses.
func (m *Marks) used(k *keptMark) admission.Mark {
	mark := *k.Mark
	if u, ok := m.uses.of[k.key]; ok {
		mark.Used += u.count
		mark.LastUsed = u.last
	}
	return mark
}

// Use counts the uses of marks by verdicts of a time.
func (m *Marks) Use(verdicts []admission.Verdict, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
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

// KeepUses keeps the uses of marks, unless there is nothing new, or now is not set and some were kept within a minute.
func (m *Marks) KeepUses(now bool) error {
	m.keeping.Lock() // so that none that are older come later
	defer m.keeping.Unlock()
	value := m.newUses(now)
	if value == nil {
		return nil
	}
	err := m.store.WriteUses(value)
	if err != nil {
		m.mu.Lock()
		m.uses.fresh = true
		m.mu.Unlock()
	}
	return err
}

// newUses returns the stored form of the uses of all marks that there are, nil if they need not be kept.
func (m *Marks) newUses(now bool) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.uses.fresh || !m.read || !now && m.now().Sub(m.uses.kept) < keptEvery {
		return nil
	}
	m.uses.fresh, m.uses.kept = false, m.now()
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
