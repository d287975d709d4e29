package gate

import (
	"cmp"
	"context"
	"encoding/binary"
	"strconv"

	index "github.com/blevesearch/bleve_index_api"
	"github.com/cespare/xxhash/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/simhash"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// Names is what the documents of an index, or of several, say of the group of another document: see
// admission.Policy.Group.
type Names struct {
	// Was is the group that it has, 0 if it has none or was of another scope, and Old the signature that it has, nil if it
	// has none. If it Stays, it keeps its group, whatever is near.
	Was   uint64               `json:"was,omitempty"`
	Old   *signature.Signature `json:"old,omitempty"`
	Stays bool                 `json:"stays,omitempty"`

	// Near is how many near-duplicates it has; if there are more than Few, at least that many. Of has their groups:
	// one for each, or if there are so many one or more for each group.
	Near int    `json:"near,omitempty"`
	Of   []Name `json:"of,omitempty"`

	// Taken says that the name which it would found has other members. Only Ask tells.
	Taken bool `json:"taken,omitempty"`
}

// Name is the group of a near-duplicate, 0 if it has none.
type Name struct {
	Group uint64          `json:"group"`
	Match signature.Match `json:"match"`
}

// Add adds what other documents say.
func (n *Names) Add(o Names) {
	n.Was, n.Old, n.Stays = cmp.Or(n.Was, o.Was), cmp.Or(n.Old, o.Old), n.Stays || o.Stays
	n.Near, n.Of, n.Taken = n.Near+o.Near, append(n.Of, o.Of...), n.Taken || o.Taken
}

// AddBatch adds what near-duplicates say that are written before it in the same batch: if there are many, the first ones.
func (n *Names) AddBatch(of []Name) {
	if n.Near += len(of); n.Near > Few {
		of = of[:min(len(of), Few)]
	}
	n.Of = append(n.Of, of...)
}

// Choose returns the name of the group, "" if the document founds one.
func (n *Names) Choose() string {
	var best Name
	for _, of := range n.Of {
		n.Stays = n.Stays || of.Group != 0 && of.Group == n.Was
		if of.Group != 0 && (best.Group == 0 || of.nearer(&best, n.Near > Few)) {
			best = of
		}
	}
	switch {
	case n.Stays:
		return simhash.Text(n.Was)
	case best.Group != 0:
		return simhash.Text(best.Group)
	}
	return ""
}

// nearer reports whether the group of n is chosen rather than that of m. If there are many, only the least name of a
// group does not depend on which of its documents were met.
func (n *Name) nearer(m *Name, many bool) bool {
	c := int(n.Match.By&signature.ByExact) - int(m.Match.By&signature.ByExact)
	if c == 0 && !many {
		c = cmp.Or(n.Match.Agree-m.Match.Agree, m.Match.Hamming-n.Match.Hamming)
	}
	return c > 0 || c == 0 && n.Group < m.Group
}

// Found returns the name of the group that a document founds: a hash of its id, of its text, of its parameters, and of
// how often such a name was taken.
func (d *Document) Found(tries uint32) string {
	s := new(signature.Signature)
	if d.signed() {
		s = d.Signature
	}
	of := binary.LittleEndian.AppendUint64([]byte(d.ID), s.Exact)
	of = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(of, s.Params), tries)
	return simhash.Text(max(xxhash.Sum64(of), 1)) // 0 is no group
}

// Ask returns what the documents of a snapshot say of the groups of others, which are about to be written together.
// tries is how often the name that each would found was taken.
func Ask(ctx context.Context, reader index.IndexReader, field string, rule signature.Rule, docs []*Document, tries []uint32) (
	[]Names, error,
) {
	p := policy{&admission.Policy{Field: field, Rule: rule, Group: true}}
	j := &judgement{policy: p, docs: docs, read: map[string]bool{}, ids: map[uint64]string{}}
	if err := j.look(ctx, reader); err != nil {
		return nil, err
	}
	j.begin(nil)
	all := make([]Names, len(docs))
	for i, d := range docs {
		var duplicates []duplicate
		var err error
		if d.signed() {
			duplicates, err = j.duplicates(d)
		}
		if err == nil {
			all[i], err = j.names(d, duplicates)
		}
		if err == nil && all[i].Choose() == "" {
			all[i].Taken, err = j.taken(d.Found(tries[i]), d.ID)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// join gives the verdict on d the group of d. duplicates are its near-duplicates; if there are more than Few, at
// least that many.
func (j *judgement) join(v *admission.Verdict, d *Document, duplicates []duplicate) error {
	// To look up its id takes longer than to look for near-duplicates. If its own old text is not one, it stays only where
	// nothing is compared, or in the group that all of them have, if they have one.
	if group := j.onlyGroup(duplicates); group != 0 && j.self != d.ID {
		v.Group = simhash.Text(group)
		return nil
	}
	var n Names
	var err error
	if len(duplicates) > 0 || j.self == d.ID || !d.signed() || !j.rule.Long(d.Signature) {
		if n, err = j.names(d, duplicates); err != nil || j.wait != nil {
			return err
		}
	}
	v.Group = n.Choose()
	v.Founded = v.Group == ""
	for tries, taken := uint32(0), v.Founded; taken && err == nil && j.wait == nil; tries++ {
		v.Group = d.Found(tries)
		taken, err = j.taken(v.Group, d.ID)
	}
	return err
}

// onlyGroup returns the group that all near-duplicates of a document have, 0 if they have several, or there may be more.
func (j *judgement) onlyGroup(duplicates []duplicate) (group uint64) {
	if len(duplicates) > Few {
		return 0
	}
	for i := range duplicates {
		of := j.groupOf(&duplicates[i])
		if i > 0 && of != group {
			return 0
		}
		group = of
	}
	return group
}

// names is what the index and the batch say of the group of d, with duplicates as in join.
func (j *judgement) names(d *Document, duplicates []duplicate) (n Names, err error) {
	if n, err = j.before(d); err != nil || n.Stays {
		return n, err
	}
	if n.Near = len(duplicates); n.Near > Few {
		if duplicates, err = j.ofGroups(d); err != nil || j.wait != nil {
			return n, err
		}
	}
	n.Of = make([]Name, len(duplicates))
	for i := range duplicates {
		n.Of[i] = Name{j.groupOf(&duplicates[i]), duplicates[i].match}
	}
	return n, nil
}

// before returns what the index says of d itself: the new text is near the old one, or neither version has any, if it
// Stays. An old version that cannot be read is like one without a text.
func (j *judgement) before(d *Document) (n Names, err error) {
	there, err := j.reader.InternalID(d.ID)
	if err != nil || there == nil {
		return n, err
	}
	doc := there.Value()
	if j.lookup.Scope(doc) != d.Scope {
		return n, nil
	}
	if n.Old, err = j.known.Signature(doc); err != nil && !stored.Unreadable(err) {
		return n, err
	}
	like := hasText(n.Old) == d.signed()
	if like && d.signed() {
		_, near := j.rule.Match(n.Old, d.Signature)
		// Equal texts are near if the rule compares such short ones.
		like = near || n.Old.Params == d.Signature.Params && n.Old.Exact == d.Signature.Exact
	}
	n.Was = j.lookup.Group(doc)
	n.Stays = like && n.Was != 0
	return n, nil
}

// ofGroups returns, for each group in which d has near-duplicates in the index, one or more of them; and the first ones
// in the batch.
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
	met := len(found)
	for i := range j.written.near(d) {
		if len(found) == met+Few {
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

// taken reports whether the index has a group of that name with other members than the document of that id.
func (j *judgement) taken(name, id string) (is bool, err error) {
	group, _ := strconv.ParseUint(name, 16, 64)
	j.lookup.Members(group, func(doc uint64) bool {
		var other string
		if other, err = j.id(doc); err != nil || other == id {
			return err == nil
		}
		j.wait, j.read[other], is = j.flights.writing(other), true, true
		return false
	})
	return is, err
}
