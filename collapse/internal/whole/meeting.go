package whole

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// meeting is where the Searchers of one search meet, each of a snapshot of another index. A Searcher
// that has its matches waits for the others. The last one groups the matches of all, and each goes on
// with what stays of its own.
type meeting struct {
	ctx     context.Context
	grouped chan struct{} // closed when nobody needs to wait any more

	mu      sync.Mutex
	missing int     // seats that have neither come nor left
	matches int     // of all, as far as they were counted
	parts   []*part // by seat; nil if it has not come
	options Options
	set     *set // nil until the matches are grouped, and if there was nobody to bring any
	err     error
	over    bool // grouped is closed
}

// seat is the place of a Searcher in a meeting.
type seat struct {
	meeting *meeting
	index   string // its name
	at      int
	came    bool // or left; guarded by meeting.mu
	begun   chan struct{}
	once    sync.Once
}

type seatKey struct{ query any }

// with returns a context in which a Searcher of query sits here.
func (s *seat) with(ctx context.Context, query any) context.Context {
	return context.WithValue(ctx, seatKey{query}, s)
}

// seatOf returns the seat of a Searcher of query, or nil.
func seatOf(ctx context.Context, query any) *seat {
	s, _ := ctx.Value(seatKey{query}).(*seat)
	return s
}

// newMeeting returns a meeting of Searchers of the indexes of these names, with their seats.
func newMeeting(ctx context.Context, indexes []string) (*meeting, []*seat) {
	m := &meeting{ctx: ctx, grouped: make(chan struct{}), missing: len(indexes), parts: make([]*part, len(indexes))}
	seats := make([]*seat, len(indexes))
	for i, name := range indexes {
		seats[i] = &seat{meeting: m, index: name, at: i, begun: make(chan struct{})}
	}
	return m, seats
}

// begin says that the Searcher is there, so that bleve has locked the index, or will not.
func (s *seat) begin() { s.once.Do(func() { close(s.begun) }) }

// come brings all matches of a Searcher, and returns when they are grouped.
func (s *seat) come(ctx context.Context, p *part, o Options) error {
	m := s.meeting
	if again, err := m.add(s, p, o); err != nil {
		return err
	} else if again { // by an index that searches twice
		return newSet(ctx, o, p).group()
	}
	select {
	case <-m.grouped:
	case <-ctx.Done():
		m.withdraw(s)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return cmp.Or(m.err, ctx.Err())
}

// add adds the matches of a Searcher, and groups all if it is the last. It reports whether they are
// grouped already, where there is one seat.
func (m *meeting) add(s *seat, p *part, o Options) (again bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.err != nil:
		return false, m.err
	case s.came && len(m.parts) == 1:
		return true, nil
	case s.came:
		return false, fmt.Errorf("collapse: whole: index %q: wanted one search of each member of an alias, got a second", s.index)
	}
	s.came, m.parts[s.at], m.options = true, p, o
	if m.missing--; m.missing == 0 {
		m.group()
	}
	return false, nil
}

// has reports whether the seat brought matches.
func (s *seat) has() bool {
	s.meeting.mu.Lock()
	defer s.meeting.mu.Unlock()
	return s.meeting.parts[s.at] != nil
}

// absent returns an error, which ends the meeting, if a search brought its matches to nobody, and
// others were there.
func (s *seat) absent() error {
	m := s.meeting
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.came || len(m.parts) == 1 {
		return nil
	}
	m.end(fmt.Errorf("collapse: whole: wanted index %q to search by the query that it was given, got a result of another", s.index))
	return m.err
}

// withdraw takes back what a seat brought, unless it is grouped: its reader will be closed.
func (m *meeting) withdraw(s *seat) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.over {
		m.parts[s.at] = nil
	}
}

// leave says that the search is over which the Searcher was for, or would have been.
func (s *seat) leave() {
	s.begin()
	m := s.meeting
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.came {
		return
	}
	s.came = true
	if m.missing--; m.missing == 0 {
		m.group()
	}
}

// refuse ends the meeting with an error, which it returns. The seat can be nil.
func (s *seat) refuse(err error) error {
	if s != nil {
		s.meeting.mu.Lock()
		defer s.meeting.mu.Unlock()
		s.meeting.end(err)
	}
	return err
}

// count counts more matches of a Searcher, before it comes. The error is of too many.
func (s *seat) count(more int, o Options) error {
	m := s.meeting
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.matches += more; m.matches > o.Most && m.err == nil {
		m.end(o.tooMany())
	}
	return m.err
}

// end lets nobody wait any more. The caller holds m.mu.
func (m *meeting) end(err error) {
	if m.err = cmp.Or(m.err, err); !m.over {
		m.over = true
		close(m.grouped)
	}
}

// group groups all matches that were brought. The caller holds m.mu.
func (m *meeting) group() {
	var came []*part
	all := 0
	for _, p := range m.parts {
		if p != nil {
			came = append(came, p)
			all += len(p.matches)
		}
	}
	if m.over || len(came) == 0 {
		m.end(nil)
		return
	}
	if all > m.options.Most {
		m.end(m.options.tooMany())
		return
	}
	slices.SortStableFunc(came, func(a, b *part) int { return strings.Compare(a.index, b.index) })
	set := newSet(m.ctx, m.options, came...)
	err := set.group()
	if err == nil {
		m.set, err = set, set.keepOpen()
	}
	m.end(err)
}

// close lets go of the snapshots.
func (m *meeting) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.set != nil {
		m.set.close()
		m.set = nil
	}
}
