package gate

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// duplicate is a near-duplicate of a document, in the index or earlier in the batch.
type duplicate struct {
	id    string
	place int    // in the batch; -1 if it is in the index
	doc   uint64 // its number in the index
	match signature.Match
	sig   *signature.Signature

	at    time.Time // when it was sent, zero if that is not known
	timed bool      // at has been looked up
}

// duplicates returns the near-duplicates of d by their ids, until there are enough, or finds the flight to wait for.
func (j *judgement) duplicates(d *Document) (found []duplicate, err error) {
	if j.wait = j.flights.meets(d); j.wait != nil {
		return nil, nil
	}
	done := false
	add := func(t duplicate) {
		t.match, _ = j.rule.Match(t.sig, d.Signature)
		found = append(found, t)
		done, err = j.enough(d, found)
	}
	j.probe.Prepare(j.rule, table.Plan{}, d.Signature, d.Scope)
	j.lookup.Near(&j.probe, func(doc uint64) bool {
		t, met, wrong := j.inIndex(d, doc)
		if err = wrong; met {
			add(t)
		}
		return err == nil && !done && j.wait == nil
	})
	for i := range j.written.near(d) {
		if err != nil || done || j.wait != nil {
			break
		}
		add(duplicate{id: j.docs[i].ID, place: i, sig: j.docs[i].Signature})
	}
	if err != nil || j.wait != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b duplicate) int { return cmp.Or(strings.Compare(a.id, b.id), a.place-b.place) })
	return found, nil
}

// inIndex returns a document of the index that is a near-duplicate of d, and false if it does not count, or if there is
// a flight to wait for.
func (j *judgement) inIndex(d *Document, doc uint64) (t duplicate, counts bool, err error) {
	id, err := j.id(doc)
	if err == nil && id == d.ID {
		j.self = id
	}
	if err != nil || id == d.ID || j.gone[id] {
		return t, false, err
	}
	t = duplicate{id: id, place: -1, doc: doc}
	if j.wait = j.flights.writing(id); j.wait == nil && j.policy.Near == admission.Replace {
		j.wait = j.flights.using(id)
	}
	if j.wait != nil {
		return t, false, nil
	}
	j.read[id] = true
	t.sig, err = j.known.Signature(doc)
	return t, err == nil, err
}

// id returns the id of a document of the index, which it reads once for the batch.
func (j *judgement) id(doc uint64) (string, error) {
	if id, ok := j.ids[doc]; ok {
		return id, nil
	}
	id, err := j.reader.ExternalID(column.Number(doc))
	if err == nil {
		j.ids[doc] = id
	}
	return id, err
}

// time is when a duplicate was sent, zero if that is not known.
func (j *judgement) time(t *duplicate) (time.Time, error) {
	if t.timed {
		return t.at, nil
	}
	if t.timed = true; t.place >= 0 {
		t.at = j.docs[t.place].Time
		return t.at, nil
	}
	text, err := j.known.Stored(t.doc, signature.Field(FieldOf(j.policy.Policy)).Time())
	if err == nil && text != nil {
		t.at, _ = time.Parse(time.RFC3339Nano, string(text)) // zero if this library did not write it
	}
	return t.at, err
}

// tagged reports whether a duplicate carries a tag itself.
func (j *judgement) tagged(t *duplicate) (bool, error) {
	if t.place >= 0 {
		return j.verdicts[t.place].Action == admission.Tag, nil
	}
	tag, err := j.known.Stored(t.doc, admission.TagField)
	return tag != nil, err
}

// preferred reports whether d is to replace its duplicate, which it never does in the batch: the better come first there.
func (j *judgement) preferred(d *Document, t *duplicate) (is bool, err error) {
	if t.place >= 0 {
		return false, nil
	}
	there := candidate{sig: t.sig}
	if j.policy.timely() {
		there.at, err = j.time(t)
	}
	if err == nil && len(j.policy.Prefer) > 0 {
		there.doc, err = column.Document(j.reader, t.id)
	}
	if err != nil {
		return false, err
	}
	c := j.policy.compare(d.candidate(), there)
	return c > 0 || c == 0 && j.policy.latest(), nil
}
