package gate

import (
	"cmp"
	"context"
	"encoding/binary"
	"strconv"

	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// join gives the verdict on d the group of d: see admission.Policy.Group. duplicates are its near-duplicates; if there are
// more than fewDuplicates, at least that many.
func (j *judgement) join(v *admission.Verdict, d *Document, duplicates []duplicate) error {
	was, stays, err := j.before(d)
	if err != nil {
		return err
	}
	if stays {
		v.Group = simhash.Text(was)
		return nil
	}
	many := len(duplicates) > fewDuplicates
	if many {
		if duplicates, err = j.ofGroups(d); err != nil || j.wait != nil {
			return err
		}
	}
	var nearest *duplicate
	for i := range duplicates {
		t := &duplicates[i]
		if t.group = j.groupOf(t); t.group == 0 {
			continue
		}
		if t.group == was {
			nearest = t
			break
		}
		if nearest == nil || t.nearer(nearest, many) {
			nearest = t
		}
	}
	if nearest != nil {
		v.Group = simhash.Text(nearest.group)
		return nil
	}
	v.Group, err = j.found(d)
	v.Founded = true
	return err
}

// nearer reports whether the group of t is chosen rather than that of u. If there are many, only the least name of a group
// does not depend on which of its documents were met.
func (t *duplicate) nearer(u *duplicate, many bool) bool {
	c := int(t.match.By&signature.ByExact) - int(u.match.By&signature.ByExact)
	if c == 0 && !many {
		c = cmp.Or(t.match.Agree-u.match.Agree, u.match.Hamming-t.match.Hamming)
	}
	return c > 0 || c == 0 && t.group < u.group
}

// before returns the group that d has in the index, 0 if it has none there or was of another scope, and whether it keeps
// that since the new text is near the old one, or neither version has any.
func (j *judgement) before(d *Document) (group uint64, stays bool, err error) {
	there, err := j.reader.InternalID(d.ID)
	if err != nil || there == nil {
		return 0, false, err
	}
	doc := there.Value()
	if j.lookup.Scope(doc) != d.Scope {
		return 0, false, nil
	}
	old, err := j.known.Signature(doc)
	if err != nil && err != stored.ErrNone {
		return 0, false, err
	}
	group = j.lookup.Group(doc)
	if !hasText(old) || !d.signed() {
		return group, group != 0 && hasText(old) == d.signed(), nil
	}
	_, near := j.rule.Match(old, d.Signature)
	equal := old.Params == d.Signature.Params && old.Exact == d.Signature.Exact // near, if the rule compares such short texts
	return group, group != 0 && (near || equal), nil
}

// ofGroups returns, for each group in which d has near-duplicates in the index, one or more of them; and the first ones in the
// batch.
func (j *judgement) ofGroups(d *Document) (found []duplicate, err error) {
	j.lookup.First(&j.probe, func(doc uint64) bool {
		if err != nil || j.wait != nil {
			return true
		}
		t, met, wrong := j.inIndex(d, doc)
		if err = wrong; met {
			t.match, _ = j.rule.Match(t.sig, d.Signature)
			found = append(found, t)
		}
		return met
	})
	index := len(found)
	for i := range j.written.near(d) {
		if len(found) == index+fewDuplicates {
			break
		}
		match, _ := j.rule.Match(j.docs[i].Signature, d.Signature)
		found = append(found, duplicate{place: i, match: match})
	}
	return found, err
}

// groupOf is the group of a duplicate, 0 if it has none.
func (j *judgement) groupOf(t *duplicate) (group uint64) {
	if t.place < 0 {
		return j.lookup.Group(t.doc)
	}
	group, _ = strconv.ParseUint(j.verdicts[t.place].Group, 16, 64)
	return group
}

// found returns the name of a new group: a hash of the id of d, of its text, of its parameters, and of a counter of groups
// of that name that have other members.
func (j *judgement) found(d *Document) (name string, err error) {
	s := new(signature.Signature)
	if d.signed() {
		s = d.Signature
	}
	for n, taken := uint32(0), true; taken && err == nil && j.wait == nil; n++ {
		of := binary.LittleEndian.AppendUint64([]byte(d.ID), s.Exact)
		of = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(of, s.Params), n)
		name = simhash.Text(max(xxhash.Sum64(of), 1)) // 0 is no group
		taken, err = j.taken(name, d.ID)
	}
	return name, err
}

// taken reports whether the index has a group of that name with other members than the document of that id.
func (j *judgement) taken(name, id string) (bool, error) {
	members, err := j.reader.TermFieldReader(context.Background(), []byte(name), admission.GroupField, false, false, false)
	if err != nil {
		return false, err
	}
	defer members.Close()
	for {
		m, err := members.Next(nil)
		if err != nil || m == nil {
			return false, err
		}
		other, err := j.reader.ExternalID(m.ID)
		if err != nil || other == id {
			if err != nil {
				return false, err
			}
			continue
		}
		j.wait, j.read[other] = j.flights.writing(other), true
		return true, nil
	}
}
