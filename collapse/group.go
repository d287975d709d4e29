package collapse

import (
	"cmp"
	"errors"
	"runtime/trace"
	"slices"

	"github.com/blevesearch/bleve/v2/search"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/column"
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
	at     int32  // its place among the matches
	family uint32 // matches of different families are no near-duplicates
	rank   uint32 // by id within the family, if ranked
	stored int32  // a place in searcher.stored, plus 1, if that was read
}

// storedSignature is what is stored with a document: a signature, or why there is none.
type storedSignature struct {
	sig *signature.Signature
	err error
}

// signature returns what was read of m.
func (s *searcher) signature(m *member) (*signature.Signature, error) {
	v := s.stored[m.stored-1]
	return v.sig, v.err
}

// read reads what is stored with m.
func (s *searcher) read(m *member, read func(index.IndexInternalID) (*signature.Signature, error)) (*signature.Signature, error) {
	sig, err := read(s.id(m.match, s.buf[:]))
	s.stored = append(s.stored, storedSignature{sig, err})
	m.stored = int32(len(s.stored))
	return sig, err
}

// members returns the matches that may not stay, by families, and whether they are
// ranked. Those of ranked families are not read yet if these are counted.
func (s *searcher) members() (in []member, ranked bool, err error) {
	field := s.walk.options.Field
	s.signatures = column.Of(s.reader, field)
	if s.signatures != nil {
		in, ranked = s.families()
	}
	if !ranked {
		in = make([]member, len(s.matches))
		for i, m := range s.matches {
			in[i] = member{match: m, at: int32(i)}
		}
	}
	read := reading(s.reader, field, s.signatures)
	var uniform column.Uniform
	for n := range in {
		m := &in[n]
		if ranked && s.counts() && m.family != column.Unreadable {
			continue
		}
		switch sig, err := s.read(m, read); {
		case err == nil:
			uniform.See(sig)
		case errors.Is(err, errUnsigned) || errors.Is(err, signature.ErrMalformed) || errors.Is(err, signature.ErrVersion):
			m.family = column.Unreadable
		default:
			return nil, false, err
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
		if m.family != column.Unreadable || s.walk.options.Missing != KeepMissing {
			return m.family == column.Alone
		}
		_, err := s.signature(&m)
		unsigned := errors.Is(err, errUnsigned)
		if unsigned {
			s.walk.unsigned++
		}
		return unsigned
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
	s.cliques = known.Cliques
	// The matches of a family are a list in two arrays: sorting them took longer than
	// all that is then done with them.
	last := make([]int32, known.Count)    // of a family, plus 1
	next := make([]int32, len(s.matches)) // of a match that has one, plus 1
	var begins, unreadable []int32
	size := 0
	for i := range s.matches {
		switch f := known.Of[s.matches[i].doc]; {
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
		doc := s.matches[i].doc
		in = append(in, member{match: s.matches[i], at: i, family: known.Of[doc], rank: known.Rank[doc]})
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
			if in[i].family != column.Unreadable {
				in[i].family = column.Unreadable + 1
			}
		}
		return nil
	}
	signatures := make([]*signature.Signature, len(in))
	for i := range in {
		if sig, err := s.signature(&in[i]); err == nil {
			signatures[i] = sig
		}
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
	defer trace.StartRegion(s.ctx, "collapse.group").End()
	if err := s.ready(); err != nil {
		return err
	}
	in, ranked, err := s.members()
	if err != nil {
		return err
	}
	hidden := make([]bool, len(s.matches))
	var counted count
	for begin, end := 0, 0; begin < len(in); begin = end {
		for end = begin + 1; end < len(in) && in[end].family == in[begin].family; end++ {
		}
		family := in[begin:end]
		switch counts := ranked && s.counts() && family[0].family != column.Unreadable; {
		case counts && s.cliques[family[0].family] && s.walk.options.Visible == 1:
			counted.clique(family, hidden)
		case counts:
			err = s.count(family, hidden, &counted)
		default:
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
		all[n] = search.DocumentMatch{IndexInternalID: s.id(m.match, nil), Score: m.score, HitNumber: uint64(m.at), Descendants: s.nested[m.doc]}
		hits[n] = &all[n]
		of[hits[n]] = m
		if _, err := s.signature(m); err != nil && !errors.Is(err, errUnsigned) { // it is reported
			if hits[n].ID, err = s.reader.ExternalID(hits[n].IndexInternalID); err != nil {
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
	s.walk.read = func(hit *search.DocumentMatch) (*signature.Signature, error) { return s.signature(of[hit]) }
	s.walk.begin(len(family))
	for _, hit := range hits {
		s.walk.take(hit, true)
	}
	return nil
}
