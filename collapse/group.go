package collapse

import (
	"cmp"
	"errors"
	"slices"

	"github.com/blevesearch/bleve/v2/search"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/collapse/column"
)

// The whole match set is grouped as the page form would: in head order, each match
// held against the heads before it. To bring all matches in order, with "_id" where
// they tie, would cost more than the search, and is not needed: most have no
// near-duplicate among the matches, and the others belong to small families. So each
// family is sorted and walked for itself. The result is the same, since a match can
// only be hidden by one of its family. The families are those of the whole index, where
// they are known (column.Families), or else those among the matches.

// member is a match that may not stay.
type member struct {
	match
	at     int    // its place among the matches
	family uint32 // matches of different families are no near-duplicates
	rank   uint32 // by id within the family, if ranked
	sig    *signature.Signature
	err    error // why it has none
}

// read returns the matches that may not stay, by families, and whether they are ranked.
// Those of ranked families need have no signature yet if the families are counted.
func (s *searcher) read() (in []member, ranked bool, err error) {
	field := s.walk.options.Field
	s.signatures = column.Of(s.reader, field)
	if s.signatures != nil {
		in, ranked = s.families()
	}
	if !ranked {
		in = make([]member, len(s.matches))
		for i, m := range s.matches {
			in[i] = member{match: m, at: i}
		}
	}
	read := reading(s.reader, field, s.signatures)
	var uniform column.Uniform
	for n := range in {
		m := &in[n]
		if ranked && s.counts() && m.family != column.Unreadable {
			continue
		}
		switch m.sig, m.err = read(m.id); {
		case m.err == nil:
			uniform.See(m.sig)
		case errors.Is(m.err, errUnsigned) || errors.Is(m.err, signature.ErrMalformed) || errors.Is(m.err, signature.ErrVersion):
			m.sig, m.family = nil, column.Unreadable
		default:
			return nil, false, m.err
		}
		if n%checkEvery == 0 && s.ctx.Err() != nil {
			return nil, false, s.ctx.Err()
		}
	}
	if !ranked {
		if err := s.join(in, uniform); err != nil {
			return nil, false, err
		}
	}
	in = slices.DeleteFunc(in, func(m member) bool {
		if m.err != nil && errors.Is(m.err, errUnsigned) && s.walk.options.Missing == KeepMissing {
			s.walk.unsigned++
			return true
		}
		return m.family == column.Alone
	})
	if !ranked {
		slices.SortStableFunc(in, func(a, b member) int { return cmp.Compare(a.family, b.family) })
	}
	return in, ranked, nil
}

// families returns the matches of those families that have two or more, by what is
// known of them for the whole index, and false if nothing is.
func (s *searcher) families() (in []member, ranked bool) {
	known := s.signatures.Families(s.walk.rule, len(s.matches))
	if known == nil || !known.Uniform {
		return nil, false
	}
	// The matches of a family are a list in two arrays: sorting them took longer than
	// all that is then done with them.
	last := make([]int32, known.Count)    // of a family, plus 1
	next := make([]int32, len(s.matches)) // of a match that has one, plus 1
	var begins, unreadable []int32
	size := 0
	for i := range s.matches {
		switch f := known.Of[s.matches[i].id.Value()]; {
		case f == column.Alone:
		case f == column.Unreadable:
			unreadable = append(unreadable, int32(i))
		case last[f] == 0:
			begins = append(begins, int32(i))
			last[f] = int32(i + 1)
		default:
			next[last[f]-1] = int32(i + 1)
			last[f] = int32(i + 1)
			size += 2
		}
	}
	in = make([]member, 0, size+len(unreadable))
	add := func(i int32) {
		doc := s.matches[i].id.Value()
		in = append(in, member{match: s.matches[i], at: int(i), family: known.Of[doc], rank: known.Rank[doc]})
	}
	for _, i := range unreadable {
		add(i)
	}
	for _, begin := range begins {
		if next[begin] == 0 {
			continue
		}
		for i := begin + 1; i > 0; i = next[i-1] {
			add(i - 1)
		}
	}
	return in, true
}

// join finds the families among the matches themselves. Most of them are told to be
// alone by table.Crowded, at a third of what table.Connect takes for the others.
func (s *searcher) join(in []member, uniform column.Uniform) error {
	if !uniform.Fits(s.walk.rule) {
		for i := range in {
			if in[i].sig != nil {
				in[i].family = column.Unreadable + 1
			}
		}
		return nil
	}
	signatures := make([]*signature.Signature, len(in))
	for i := range in {
		signatures[i] = in[i].sig
	}
	var some []int // of those that may have a near-duplicate
	for i, crowded := range table.Crowded(s.walk.rule, signatures) {
		if crowded {
			some = append(some, i)
		}
	}
	roots, err := table.Connect(s.ctx, s.walk.rule, len(some), func(n int) (signature.Signature, bool) {
		return *signatures[some[n]], true
	}, nil, nil)
	for n, root := range roots {
		in[some[n]].family = root + column.Unreadable + 1
	}
	return err
}

// group leaves those matches that stay.
func (s *searcher) group() error {
	if err := s.ready(); err != nil {
		return err
	}
	in, ranked, err := s.read()
	if err != nil {
		return err
	}
	hidden := make([]bool, len(s.matches))
	var counted count
	for begin, end := 0, 0; begin < len(in); begin = end {
		for end = begin + 1; end < len(in) && in[end].family == in[begin].family; end++ {
		}
		family := in[begin:end]
		if ranked && s.counts() && family[0].family != column.Unreadable {
			err = s.count(family, hidden, &counted)
		} else {
			for _, m := range family {
				hidden[m.at] = true
			}
			err = s.walkFamily(family, ranked)
		}
		if err != nil {
			return err
		}
	}
	if s.walk.err != nil {
		return invalid{s.walk.err}
	}
	for _, hit := range s.walk.hits {
		hidden[hit.HitNumber] = false
	}
	kept := s.matches[:0]
	for i, m := range s.matches {
		if !hidden[i] {
			kept = append(kept, m)
		}
	}
	s.matches = kept
	if s.report == nil {
		return nil
	}
	counted.lonely = len(kept) - counted.visible - len(s.walk.hits)
	return s.report.fill(s.reader, s.walk, counted, func(hits search.DocumentMatchCollection) error { return s.detail(in, hits) })
}

// walkFamily has the walk take the members of a family, in head order.
func (s *searcher) walkFamily(family []member, ranked bool) error {
	all := make([]search.DocumentMatch, len(family))
	hits := make(search.DocumentMatchCollection, len(family))
	of := make(map[*search.DocumentMatch]*member, len(family))
	for n := range family {
		m := &family[n]
		all[n] = search.DocumentMatch{IndexInternalID: m.id, Score: m.score, HitNumber: uint64(m.at)}
		hits[n] = &all[n]
		of[hits[n]] = m
		if m.err != nil && !errors.Is(m.err, errUnsigned) { // it is reported
			var err error
			if hits[n].ID, err = s.reader.ExternalID(m.id); err != nil {
				return err
			}
		}
	}
	settle := s.settle
	if ranked {
		settle = func(tied search.DocumentMatchCollection) error {
			slices.SortFunc(tied, func(a, b *search.DocumentMatch) int { return cmp.Compare(of[a].rank, of[b].rank) })
			return nil
		}
	}
	if err := s.sort(hits, settle); err != nil {
		return err
	}
	s.walk.read = func(hit *search.DocumentMatch) (*signature.Signature, error) { return of[hit].sig, of[hit].err }
	s.walk.begin(len(family))
	for _, hit := range hits {
		s.walk.take(hit, true)
	}
	return nil
}

// ready prepares sort.
func (s *searcher) ready() (err error) {
	s.scoring, s.desc = s.head.CacheIsScore(), s.head.CacheDescending()
	if slices.Contains(s.scoring, false) {
		s.values, err = s.reader.DocValueReader(s.head.RequiredFields())
	}
	return err
}

// key reads what a hit is sorted by.
func (s *searcher) key(hit *search.DocumentMatch) (err error) {
	if s.head.RequiresDocID() {
		if hit.ID, err = s.reader.ExternalID(hit.IndexInternalID); err != nil {
			return err
		}
	}
	err = s.values.VisitDocValues(hit.IndexInternalID, s.head.UpdateVisitor)
	s.head.Value(hit)
	return err
}

// sort brings hits in head order. settle sorts by id those that tie.
func (s *searcher) sort(hits search.DocumentMatchCollection, settle func(tied search.DocumentMatchCollection) error) error {
	if s.values != nil {
		for _, hit := range hits {
			if err := s.key(hit); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(hits, func(a, b *search.DocumentMatch) int { return s.head.Compare(s.scoring, s.desc, a, b) })
	for begin, end := 0, 0; begin < len(hits); begin = end {
		for end = begin + 1; end < len(hits) && tie(s.head, hits[begin], hits[end]); end++ {
		}
		if end-begin > 1 {
			if err := settle(hits[begin:end]); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle sorts hits by their ids, which it reads.
func (s *searcher) settle(tied search.DocumentMatchCollection) (err error) {
	for _, hit := range tied {
		if hit.ID, err = s.reader.ExternalID(hit.IndexInternalID); err != nil {
			return err
		}
	}
	slices.SortFunc(tied, byID)
	return nil
}
