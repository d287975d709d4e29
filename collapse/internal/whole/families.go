package whole

import (
	"cmp"
	"errors"
	"slices"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
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
	rank   uint32 // of the id, if it is known
	scope  uint32 // of package fields, and so is key
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
	sig, err := s.parts[m.part()].signatures.Signature(m.number())
	if err != nil && !stored.Unreadable(err) {
		return readSignature{}, err
	}
	s.stored = append(s.stored, readSignature{sig, err})
	m.stored = int32(len(s.stored))
	return readSignature{sig, err}, nil
}

// members returns the matches that might be hidden, by families, and whether the families are
// known of the whole index: the signatures of these matches are not read yet.
//
// A key joins the matches that have it to one family, and with Or also the families that they are of. What Within
// splits the walk keeps apart.
func (s *set) members() (in []member, known bool, err error) {
	values := &s.walk.Fields
	if s.ordinary() {
		in, known = s.families()
	}
	if !known {
		in = make([]member, len(s.matches))
		for i, m := range s.matches {
			in[i] = member{match: m, at: int32(i)}
		}
	}
	if values.Any() {
		if err := s.readValues(in); err != nil {
			return nil, false, err
		}
	}
	if values.Alone() {
		in = s.keyed(in)
	} else if err := s.near(in, known); err != nil {
		return nil, false, err
	}
	if values.By != "" {
		in = joined(in)
	} else if !known || len(in) > 0 && in[0].family == column.Unreadable {
		in = slices.DeleteFunc(in, s.stays)
	}
	if !known {
		slices.SortFunc(in, func(a, b member) int { return cmp.Or(cmp.Compare(a.family, b.family), cmp.Compare(a.at, b.at)) })
	}
	return in, known, nil
}

// ordinary reports whether families are found for what is asked: the rule of the field decides, on indexes of type
// neardup, and no key joins families.
func (s *set) ordinary() bool {
	return s.walk.Fields.By == "" && !s.options.Verify.On() && !slices.ContainsFunc(s.parts, func(p *part) bool {
		own, _, err := neardup.RuleOf(p.mapping, s.walk.Field, signature.Rule{})
		return !column.Adopted(p.reader) || err != nil || own.Normal() != s.walk.Rule.Normal()
	})
}

// near reads the signatures of members, and finds their families. Of known families only what is unreadable is read.
func (s *set) near(in []member, known bool) error {
	var uniform column.Uniform
	for n := range in {
		m := &in[n]
		if known && m.family != column.Unreadable {
			return nil // nor is any after it
		}
		v, err := s.read(m)
		if err != nil {
			return err
		}
		if v.err != nil {
			m.family = column.Unreadable
		} else {
			uniform.See(v.sig)
		}
		if n%checkEvery == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
	}
	if known {
		return nil
	}
	return s.join(in, uniform.Fits(s.walk.Rule)) // which have the same parameters, and fit the rule
}

// keyed returns members that are grouped by their keys alone: without those that have no key, if these are all kept.
func (s *set) keyed(in []member) []member {
	s.stored = []readSignature{{}}
	for i := range in {
		if in[i].stored = 1; in[i].key == fields.None {
			in[i].family = column.Unreadable
		}
	}
	return slices.DeleteFunc(in, func(m member) bool { return m.key == fields.None && !s.walk.Drop })
}

// stays reports whether nothing hides m and no group is to list it, and counts it if it has no
// signature.
func (s *set) stays(m member) bool {
	if m.family != column.Unreadable || s.walk.Drop {
		return m.family == column.Alone
	}
	unsigned := errors.Is(s.stored[m.stored-1].err, stored.ErrNone)
	if unsigned {
		s.walk.Unsigned++
	}
	return unsigned
}

// families returns the matches of those families that have two or more, by what is
// known of them for the whole index, after those that are Unreadable; and false if nothing is.
func (s *set) families() (in []member, known bool) {
	readers := make(column.Readers, len(s.parts))
	for i, p := range s.parts {
		readers[i] = p.signatures
	}
	of := readers.Families(s.ctx, s.walk.Rule, len(s.matches), func(i int) (int, uint64) {
		return s.matches[i].part(), s.matches[i].number()
	})
	if of == nil {
		return nil, false
	}
	all := make([]uint64, 0, len(of)) // families, with places
	for i, kin := range of {
		if kin.Family != column.Alone {
			all = append(all, uint64(kin.Family)<<32|uint64(i))
		}
	}
	all = sorted(all)
	in = make([]member, 0, len(all))
	for n, v := range all {
		family, i := uint32(v>>32), int32(uint32(v))
		before := n > 0 && uint32(all[n-1]>>32) == family
		if before || family == column.Unreadable || n+1 < len(all) && uint32(all[n+1]>>32) == family {
			in = append(in, member{match: s.matches[i], at: i, family: family, rank: of[i].Rank})
		}
	}
	return in, true
}

// sorted sorts values by their upper halves; those that tie stay in their order. To compare them takes ten times as
// long.
func sorted(all []uint64) []uint64 {
	const bits = 11
	other := make([]uint64, len(all))
	for shift := 32; shift < 64; shift += bits {
		var next [1 << bits]int32 // places of values with these bits
		for _, v := range all {
			next[v>>shift%(1<<bits)]++
		}
		var begin int32
		for i, n := range next {
			next[i], begin = begin, begin+n
		}
		for _, v := range all {
			at := &next[v>>shift%(1<<bits)]
			other[*at] = v
			*at++
		}
		all, other = other, all
	}
	return all
}

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
		if v, err = readers[match.part()].Append(v[:0], match.id(s.buf[:])); err != nil {
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

// joined returns members with the families that near-duplicates and keys make of them, without
// the members that nothing is joined with.
func joined(in []member) []member {
	parent := make([]uint32, len(in))
	for i := range parent {
		parent[i] = uint32(i)
	}
	sets := table.NewSets(signature.Rule{}, parent)
	type place struct{ family, key uint32 }
	first := make(map[place]uint32)
	meet := func(i uint32, at place) {
		if before, ok := first[at]; ok {
			sets.Join(i, before)
			return
		}
		first[at] = i
	}
	for n, m := range in {
		i := uint32(n)
		if m.family > column.Unreadable {
			meet(i, place{family: m.family})
		}
		if m.key != fields.None {
			meet(i, place{key: m.key})
		}
	}
	size := make([]int32, len(in))
	for i := range in {
		size[sets.Of(uint32(i))]++
	}
	for i := range in {
		at := sets.Of(uint32(i))
		if in[i].family != column.Unreadable && size[at] == 1 {
			in[i].family = column.Alone
			continue
		}
		in[i].family = at + column.Unreadable + 1
	}
	return slices.DeleteFunc(in, func(m member) bool { return m.family == column.Alone })
}
