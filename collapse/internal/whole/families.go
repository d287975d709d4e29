package whole

import (
	"cmp"
	"errors"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/fields"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// member is a match that might be hidden: it has a near-duplicate among the matches, or no
// readable signature.
type member struct {
	match
	at     int32  // its place among the matches
	family uint32 // matches of different families are no near-duplicates
	rank   uint32 // by id within the family, if the families are ranked
	scope  uint32 // of package fields, and so is key; matches of different scopes are no near-duplicates
	key    uint32
	stored int32 // a place in set.stored, plus 1, if that was read
}

// readSignature is what was read of a member: a signature, or why it has none.
type readSignature struct {
	sig *signature.Signature
	err error
}

// hit returns what was read of m.
func (s *set) hit(m *member) stored.Hit {
	v := s.stored[m.stored-1]
	return stored.Hit{Signature: v.sig, Err: v.err}
}

// read reads what is stored with m. The error is of an index that cannot be read.
func (s *set) read(m *member) (readSignature, error) {
	sig, err := s.parts[m.part()].readSignature(m.match, s.walk.Field)
	if err != nil && !unreadable(err) {
		return readSignature{}, err
	}
	s.stored = append(s.stored, readSignature{sig, err})
	m.stored = int32(len(s.stored))
	return readSignature{sig, err}, nil
}

// members returns the matches that might be hidden, by families, and whether the families are
// ranked. Members of ranked families are not read yet if these are counted.
func (s *set) members() (in []member, ranked bool, err error) {
	if s.walk.Fields.By != "" {
		in, err = s.byKey()
		return in, false, err
	}
	in, ranked, err = s.near()
	if err == nil && len(s.walk.Fields.Within) > 0 {
		in, err = s.within(in, ranked)
	}
	return in, ranked, err
}

// near returns the matches that might be hidden by a near-duplicate, as members does.
func (s *set) near() (in []member, ranked bool, err error) {
	if readers := s.readers(); len(readers) == len(s.parts) {
		in, ranked = s.families(readers)
	}
	if !ranked {
		in = s.all()
	}
	fits, err := s.readMembers(in, ranked)
	if err == nil && !ranked {
		err = s.join(in, fits)
	}
	if err != nil {
		return nil, false, err
	}
	in = slices.DeleteFunc(in, s.stays)
	if !ranked {
		slices.SortStableFunc(in, func(a, b member) int { return cmp.Compare(a.family, b.family) })
	}
	return in, ranked, nil
}

// readers opens the signatures of all parts, and returns those that are in memory.
func (s *set) readers() (readers column.Readers) {
	for _, p := range s.parts {
		if p.signatures = column.Of(p.reader, s.walk.Field); p.signatures != nil {
			readers = append(readers, p.signatures)
		}
	}
	return readers
}

// all returns a member for each match.
func (s *set) all() []member {
	in := make([]member, len(s.matches))
	for i, m := range s.matches {
		in[i] = member{match: m, at: int32(i)}
	}
	return in
}

// readMembers reads the signatures of members that are not to be counted, and reports whether these
// have the same parameters, which fit the rule.
func (s *set) readMembers(in []member, ranked bool) (fits bool, err error) {
	var uniform column.Uniform
	for n := range in {
		m := &in[n]
		if ranked && s.counts() && m.family != column.Unreadable {
			continue
		}
		v, err := s.read(m)
		if err != nil {
			return false, err
		}
		if v.err != nil {
			m.family = column.Unreadable
		} else {
			uniform.See(v.sig)
		}
		if n%checkEvery == 0 && s.ctx.Err() != nil {
			return false, s.ctx.Err()
		}
	}
	return uniform.Fits(s.walk.Rule), nil
}

// unreadable reports whether err says that no signature is stored, or one that cannot be read.
func unreadable(err error) bool {
	return errors.Is(err, stored.ErrNone) || errors.Is(err, signature.ErrMalformed) || errors.Is(err, signature.ErrVersion)
}

// stays reports whether nothing hides m and no group is to list it, and counts it if it has no
// signature.
func (s *set) stays(m member) bool {
	if m.family != column.Unreadable || s.walk.Drop || s.walk.Together {
		return m.family == column.Alone
	}
	unsigned := errors.Is(s.stored[m.stored-1].err, stored.ErrNone)
	if unsigned {
		s.walk.Unsigned++
	}
	return unsigned
}

// families returns the matches of those families that have two or more, by what is
// known of them for the whole index, and false if nothing is.
func (s *set) families(readers column.Readers) (in []member, ranked bool) {
	known := readers.Families(s.walk.Rule, len(s.matches))
	if known == nil || !known.Uniform {
		return nil, false
	}
	s.cliques = known.Cliques
	s.number(readers)
	// The matches of a family are a list in two arrays: sorting them took longer than
	// all that is then done with them.
	last := make([]int32, known.Count)    // of a family, plus 1
	next := make([]int32, len(s.matches)) // of a match that has one, plus 1
	var begins, unreadable []int32
	size := 0
	for i := range s.matches {
		switch f := known.Of[s.document(s.matches[i])]; {
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
		doc := s.document(s.matches[i])
		in = append(in, member{match: s.matches[i], at: i, family: known.Of[doc], rank: known.Rank[doc]})
	}
	for _, i := range unreadable {
		add(i)
	}
	begins = slices.DeleteFunc(begins, func(i int32) bool { return next[i] == 0 }) // alone among the matches
	for _, begin := range begins {
		for i := begin + 1; i > 0; i = next[i-1] {
			add(i - 1)
		}
	}
	return in, true
}

// number notes at which number the documents of each snapshot begin.
func (s *set) number(readers column.Readers) {
	var end uint64
	for _, r := range readers {
		s.begins = append(s.begins, end)
		end += uint64(r.Len())
	}
}

// document is the number of a match in column.Families.
func (s *set) document(m match) uint64 { return s.begins[m.part()] + m.number() }

// join finds the families among the matches themselves.
func (s *set) join(in []member, fits bool) error {
	if !fits { // which signatures are foreign depends on the rank of all
		for i := range in {
			if in[i].family != column.Unreadable {
				in[i].family = column.Unreadable + 1
			}
		}
		return nil
	}
	roots, err := table.Connect(s.ctx, s.walk.Rule, len(in), func(i int) (sig signature.Signature, ok bool) {
		if ok = in[i].family != column.Unreadable; ok {
			sig = *s.stored[in[i].stored-1].sig
		}
		return sig, ok
	}, nil, nil, nil)
	for i, root := range roots {
		if int(root) != i {
			in[i].family = root + column.Unreadable + 1
			in[root].family = in[i].family
		}
	}
	return err
}

// Values split families, and join them. Within splits a family by scope. A key joins the
// matches that have it to one family, and with Or also the families that they are of.

// readValues reads the scope and the key of each member, and counts the matches that lack values.
func (s *set) readValues(in []member) error {
	names := s.walk.Fields.Names()
	readers := make([]*fields.Reader, len(s.parts))
	for n, p := range s.parts {
		var err error
		if readers[n], err = fields.NewReader(p.reader, names); err != nil {
			return err
		}
	}
	at := make([]int32, len(s.matches)) // the place of the member of a match, plus 1
	for n := range in {
		at[in[n].at] = int32(n + 1)
	}
	numbers := fields.Numbers{Options: s.walk.Fields}
	var v fields.Values
	var err error
	for n, match := range s.matches {
		if v, err = readers[match.part()].Append(v[:0], s.id(match, s.buf[:])); err != nil {
			return err
		}
		s.walk.CountLacks(v.Lacks(len(names)))
		if i := at[n]; i > 0 {
			if in[i-1].scope, in[i-1].key, err = numbers.Of(v); err != nil {
				return err
			}
		}
		if n%checkEvery == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
	}
	return nil
}

// byFamily brings members in the order of their families and scopes.
func byFamily(a, b member) int {
	return cmp.Or(cmp.Compare(a.family, b.family), cmp.Compare(a.scope, b.scope))
}

// within splits the families of members by scope. Members of ranked families that are apart
// are no members: nothing hides them, and a walk is not needed to tell.
func (s *set) within(in []member, ranked bool) ([]member, error) {
	if err := s.readValues(in); err != nil {
		return nil, err
	}
	if ranked {
		in = slices.DeleteFunc(in, func(m member) bool { return m.scope == fields.Apart && m.family != column.Unreadable })
	}
	slices.SortStableFunc(in, byFamily)
	return in, nil
}

// byKey returns the matches that might be hidden, by the families that keys make of them.
func (s *set) byKey() ([]member, error) {
	in := s.all()
	if s.walk.Fields.Any() {
		if err := s.readValues(in); err != nil {
			return nil, err
		}
	}
	if s.walk.Fields.Alone() {
		return s.keyFamilies(in), nil
	}
	s.readers()
	fits, err := s.readMembers(in, false)
	if err == nil {
		err = s.join(in, fits)
	}
	if err != nil {
		return nil, err
	}
	return s.joined(in), nil
}

// joined returns members by families that near-duplicates and keys make of them, without
// the members that nothing is joined with.
func (s *set) joined(in []member) []member {
	f := newForest(len(in))
	near, keys := make(map[[2]uint32]int), make(map[uint32]int)
	for i, m := range in {
		if m.family != column.Alone && m.scope != fields.Apart {
			meet(f, near, [2]uint32{m.family, m.scope}, i) // hits without a signature might be one group
		}
		if m.key != fields.None {
			meet(f, keys, m.key, i)
		}
	}
	size := f.sizes()
	for i := range in {
		root := f.root(i)
		if in[i].family != column.Unreadable && size[root] == 1 {
			in[i].family = column.Alone
			continue
		}
		in[i].family = uint32(root) + column.Unreadable + 1
	}
	in = slices.DeleteFunc(in, func(m member) bool { return m.family == column.Alone })
	slices.SortStableFunc(in, byFamily)
	return in
}

// keyFamilies makes a family of each key, and one of each scope's matches without a key if
// these are not all kept.
func (s *set) keyFamilies(in []member) []member {
	s.stored = []readSignature{{}}
	count := make(map[uint32]int)
	for i := range in {
		m := &in[i]
		m.stored = 1
		if m.family = column.Unreadable; m.key != fields.None {
			m.family = m.key + column.Unreadable
			count[m.key]++
		}
	}
	in = slices.DeleteFunc(in, func(m member) bool {
		if m.key != fields.None {
			return count[m.key] == 1
		}
		return !s.walk.Drop && !s.walk.Together
	})
	slices.SortStableFunc(in, byFamily)
	return in
}
