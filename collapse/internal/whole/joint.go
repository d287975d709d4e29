package whole

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/internal/hits"
)

// joint is where the Searchers of one search meet, each of a snapshot of another index. A Searcher
// that has its matches waits for the others. The last one groups the matches of all, and each goes on
// with what stays of its own.
type joint struct {
	ctx     context.Context
	query   query.Query // whose Searchers are of this package
	seats   []*seat
	grouped chan struct{} // closed when nobody needs to wait any more

	mu      sync.Mutex
	missing int // members that have neither come nor left
	options Options
	set     *set // nil until the matches are grouped, and if there was nobody to bring any
	err     error
	over    bool // grouped is closed
}

// seat is the place of a Searcher, one of each index of a joint.
//
// bleve locks an index against Close as long as it searches there. If two searches each had locked an index, and waited
// for the other's, which somebody is about to close, all would wait for ever. So all searches lock indexes in the same
// order: each member waits until bleve has locked the one before.
type seat struct {
	*joint
	index   string  // its name
	address uintptr // of what Advanced returns; 0 if it is closed
	before  *seat   // or nil
	part    *part   // nil if it has not come
	came    bool    // or left
	begun   chan struct{}
	once    sync.Once
}

// newJoint returns a joint of Searchers of q in these indexes, which must be local.
func newJoint(ctx context.Context, q query.Query, all []bleve.Index) (*joint, error) {
	j := &joint{ctx: ctx, query: q, grouped: make(chan struct{}), missing: len(all)}
	for _, x := range all {
		s := &seat{joint: j, index: x.Name(), begun: make(chan struct{})}
		inner, err := x.Advanced()
		switch _, alias := x.(bleve.IndexAlias); {
		case alias && (err == bleve.ErrorIndexClosed || err == bleve.ErrorAliasEmpty):
			return nil, err
		case err != nil && err != bleve.ErrorIndexClosed:
			return nil, hits.Wrong(errors.New("collapse: whole needs a local index or an alias of local ones, got one that is remote, or of " +
				"another type than bleve's: leave out whole, and ask for pages; or search where the index is"))
		}
		if v := reflect.ValueOf(inner); err == nil && v.Kind() == reflect.Pointer {
			s.address = v.Pointer()
		}
		j.seats = append(j.seats, s)
	}
	order := slices.SortedStableFunc(slices.Values(j.seats), func(a, b *seat) int { return cmp.Compare(a.address, b.address) })
	for i, s := range order[min(1, len(order)):] {
		if s.before = order[i]; s.address != 0 && s.address == s.before.address {
			return nil, hits.Wrong(fmt.Errorf("collapse: whole: wanted an alias of different indexes, got index %q twice", s.index))
		}
	}
	return j, nil
}

type seatKey struct{ query any }

// seatOf returns the place of a Searcher of query: if it is of no Search, it is alone.
func seatOf(ctx context.Context, query any) *seat {
	if s, ok := ctx.Value(seatKey{query}).(*seat); ok {
		return s
	}
	s := &seat{begun: make(chan struct{})}
	s.joint = &joint{ctx: ctx, seats: []*seat{s}, grouped: make(chan struct{}), missing: 1}
	return s
}

// search makes the search of one index, by page.
func (j *joint) search(ctx context.Context, n int, page func(context.Context) error) error {
	s := j.seats[n]
	defer s.leave()
	if s.before != nil {
		select {
		case <-s.before.begun:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err := page(context.WithValue(ctx, seatKey{j.query}, s)); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if s.came || len(j.seats) == 1 {
		return nil
	}
	j.end(fmt.Errorf("collapse: whole: wanted index %q to search by the query that it was given, got a result of another", s.index))
	return j.err
}

// begin says that the Searcher is there, so that bleve has locked the index, or will not.
func (s *seat) begin() { s.once.Do(func() { close(s.begun) }) }

// come brings all matches of a Searcher, and returns when they are grouped.
func (s *seat) come(ctx context.Context, p *part, o Options) error {
	if again, err := s.add(p, o); err != nil {
		return err
	} else if again { // by an index that searches twice
		_, err := group(ctx, o, p)
		return err
	}
	select {
	case <-s.grouped:
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over { // its reader will be closed
		s.part = nil
	}
	return cmp.Or(s.err, ctx.Err())
}

// add adds the matches of a Searcher, and groups all if it is the last. It reports whether they are
// grouped already, where there is one index.
func (s *seat) add(p *part, o Options) (again bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.err != nil:
		return false, s.err
	case s.came && len(s.seats) == 1:
		return true, nil
	case s.came:
		return false, fmt.Errorf("collapse: whole: index %q: wanted one search of each member of an alias, got a second", s.index)
	}
	s.part, s.options = p, o
	s.arrive()
	return false, nil
}

// leave says that the search is over which the Searcher was for, or would have been.
func (s *seat) leave() {
	s.begin()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.came {
		s.arrive()
	}
}

// refuse ends the joint with an error, which it returns.
func (s *seat) refuse(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(err)
	return err
}

// end lets nobody wait any more. The caller holds j.mu.
func (j *joint) end(err error) {
	if j.err = cmp.Or(j.err, err); !j.over {
		j.over = true
		close(j.grouped)
	}
}

// arrive says that the member has come or left, and groups all matches if it is the last. The caller holds its mu.
func (s *seat) arrive() {
	s.came = true
	if s.missing--; s.missing > 0 || s.over {
		return
	}
	var came []*part
	all := 0
	for _, s := range s.seats {
		if s.part != nil {
			came = append(came, s.part)
			all += len(s.part.matches)
		}
	}
	switch {
	case len(came) == 0:
		s.end(nil)
		return
	case all > s.options.Most:
		s.end(s.options.tooMany())
		return
	}
	slices.SortStableFunc(came, func(a, b *part) int { return strings.Compare(a.index, b.index) })
	set, err := group(s.ctx, s.options, came...)
	if err == nil && s.query != nil { // of a Search, which asks for the groups, and reads the ids of members
		for _, p := range set.parts {
			p.reader.AddRef()
		}
		s.set = set
	}
	s.end(err)
}

// close lets go of the snapshots.
func (j *joint) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.set != nil {
		j.set.close()
		j.set = nil
	}
}
