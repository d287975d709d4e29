package whole

import (
	"fmt"
	"math/bits"

	"github.com/neardup/bleve-neardup/collapse/internal/quoting"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/contain"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// With Contained, a text and what contains it are of one group. Both hold a common selected fingerprint, so a fingerprint joins
// the families of all matches that hold it, whether it is then followed or not: the walk counts what it does not follow. Texts are read
// from the snapshots that the matches are of.

// openQuotes makes the walk look at what contains what, if the options ask for that.
func (s *set) openQuotes() error {
	if s.options.Contained == 0 {
		return nil
	}
	var all []*contain.Snapshot
	for _, p := range s.parts {
		one, err := contain.New(p.reader, p.mapping, s.fields[0], 0)
		if err != nil {
			return s.wrongQuotes(err)
		}
		one.Reads = s.judges.count
		all = append(all, one)
	}
	var err error
	s.quotes, err = quoting.New(s.ctx, s.options.Contained, all, func(hit *stored.Hit) (int, uint64, bool) {
		return s.numberOf(hit.DocumentMatch), hit.IndexInternalID.Value(), true
	})
	if err != nil {
		return s.wrongQuotes(err)
	}
	s.walk.Quotes = s.quotes
	return nil
}

func (s *set) wrongQuotes(err error) error {
	return s.options.Wrap(fmt.Errorf("collapse: contained: %w", err))
}

// quoteErr returns what went wrong while texts were compared.
func (s *set) quoteErr() error {
	if s.quotes == nil {
		return nil
	}
	return s.quotes.Err()
}

// joinQuotes joins the members that hold a common fingerprint. Most fingerprints are of one member alone, so the places in a map are
// kept for those only that might be of several.
func (s *set) joinQuotes(f forest, in []member) error {
	if s.quotes == nil {
		return nil
	}
	held := newSeveral(len(in))
	err := s.eachQuote(in, func(_ int, value uint64) { held.add(value) })
	if err != nil {
		return err
	}
	places := make(map[uint64]int)
	return s.eachQuote(in, func(i int, value uint64) {
		if held.has(value) {
			meet(f, places, value, i)
		}
	})
}

// eachQuote calls yield with each selected fingerprint of each member that can be of a group with others, mixed with the scope.
func (s *set) eachQuote(in []member, yield func(i int, value uint64)) error {
	const mix = 0x9e3779b97f4a7c15
	for i, m := range in {
		if i%checkEvery == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		if m.family == column.Unreadable || m.scope == fields.Apart {
			continue
		}
		for _, value := range s.quotes.Selected(m.part(), m.number()) {
			yield(i, (value^uint64(m.scope)<<40)*mix)
		}
	}
	return nil
}

// several is a set of numbers of which some came more than once: none of these is missed, and few others are among them.
type several struct {
	once, more []uint64 // bits
	shift      int
}

// newSeveral returns the set of what a number of documents have.
func newSeveral(documents int) *several {
	const each = 128 // bits, for some 16 numbers
	n := min(max(bits.Len(uint(each*documents)), 10), 36)
	return &several{make([]uint64, 1<<n/64), make([]uint64, 1<<n/64), 64 - n}
}

func (s *several) add(value uint64) {
	i := value >> s.shift
	s.more[i/64] |= s.once[i/64] & (1 << (i % 64))
	s.once[i/64] |= 1 << (i % 64)
}

func (s *several) has(value uint64) bool {
	i := value >> s.shift
	return s.more[i/64]>>(i%64)&1 != 0
}
