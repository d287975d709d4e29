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
}

// duplicates returns the near-duplicates of d by their ids: as many as
// policy.maxDuplicates, or as it takes to find a flood.
func (j *judgement) duplicates(d *Document) (found []duplicate, err error) {
	if j.wait = j.flights.meets(d, j.policy.passes()); j.wait != nil {
		return nil, nil
	}
	if j.passed = nil; j.policy.passes() {
		j.passed = j.flights.meets(d, false)
	}
	e := enough{judgement: j, document: d, most: j.policy.maxDuplicates(), tallies: j.tallies(d)}
	if found, err = j.inIndex(d, &e); err != nil || j.wait != nil {
		return nil, err
	}
	for i := range j.written.near(d) {
		if is, err := e.reached(found); is || err != nil {
			if err != nil {
				return nil, err
			}
			break
		}
		t := duplicate{id: j.docs[i].ID, place: i, sig: j.docs[i].Signature}
		t.match, _ = j.rule.Match(t.sig, d.Signature)
		found = append(found, t)
	}
	if j.passed != nil {
		steady, err := j.steady(found)
		if err != nil {
			return nil, err
		}
		if !steady {
			j.wait = j.passed
			return nil, nil
		}
	}
	slices.SortFunc(found, func(a, b duplicate) int { return cmp.Or(strings.Compare(a.id, b.id), a.place-b.place) })
	return found, nil
}

// inIndex returns near-duplicates of d in the index, until there are enough, or finds the
// flight to wait for.
func (j *judgement) inIndex(d *Document, e *enough) (found []duplicate, err error) {
	j.probe.Prepare(j.rule, table.Plan{}, d.Signature, d.Scope)
	j.lookup.Near(&j.probe, func(doc uint64) bool {
		var id string
		if id, err = j.id(doc); err != nil {
			return false
		}
		if id == d.ID || j.gone[id] {
			return true
		}
		t := duplicate{id: id, place: -1, doc: doc}
		var passed bool
		if passed, err = j.passes(&t); err != nil || passed {
			return err == nil
		}
		if j.wait = j.flights.writing(id); j.wait == nil && j.policy.Near == admission.Replace {
			j.wait = j.flights.using(id)
		}
		if j.wait != nil {
			return false
		}
		j.read[id] = true
		if t.sig, err = j.known.Signature(doc); err != nil {
			return false
		}
		t.match, _ = j.rule.Match(t.sig, d.Signature)
		found = append(found, t)
		var is bool
		is, err = e.reached(found)
		return err == nil && !is
	})
	return found, err
}

// passes reports whether a near-duplicate in the index can be passed by, since it is steady there and as
// a flight writes it.
func (j *judgement) passes(t *duplicate) (bool, error) {
	f := j.flights.writing(t.id)
	if f == nil || !f.steady[t.id] || !j.policy.passes() {
		return false, nil
	}
	tagged, err := j.tagged(t)
	if tagged {
		j.passed = f
	}
	return tagged, err
}

// steady reports whether one of the near-duplicates has no tag.
func (j *judgement) steady(found []duplicate) (bool, error) {
	for i := range found {
		if tagged, err := j.tagged(&found[i]); err != nil || !tagged {
			return err == nil, err
		}
	}
	return false, nil
}

// enough knows when a document has as many near-duplicates as its verdict needs. It looks
// at the time of each once.
type enough struct {
	*judgement
	document *Document
	most     int // -1 for all
	counted  int // of the near-duplicates found: looked at
	tallies  []*tally
}

func (e *enough) reached(found []duplicate) (bool, error) {
	if e.most < 0 || len(found) < e.most {
		return false, nil
	}
	for ; e.counted < len(found) && !full(e.tallies); e.counted++ {
		if err := e.judgement.tally(e.tallies, &found[e.counted]); err != nil {
			return false, err
		}
	}
	return full(e.tallies), nil
}

// id returns the id of a document of the index, which it reads once for the batch.
func (j *judgement) id(doc uint64) (string, error) {
	if id, ok := j.ids[doc]; ok {
		return id, nil
	}
	id, err := j.reader.ExternalID(column.Number(doc))
	if err != nil {
		return "", err
	}
	if j.ids == nil {
		j.ids = map[uint64]string{}
	}
	j.ids[doc] = id
	return id, nil
}

// time is when a duplicate was sent, zero if that is not known.
func (j *judgement) time(t *duplicate) (time.Time, error) {
	if t.place >= 0 {
		return j.docs[t.place].Time, nil
	}
	text, err := j.known.Stored(t.doc, signature.TimeField(j.policy.FieldName()))
	if err != nil || text == nil {
		return time.Time{}, err
	}
	at, err := time.Parse(time.RFC3339Nano, string(text))
	if err != nil {
		return time.Time{}, nil // not a time that this library wrote
	}
	return at, nil
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
	there := &candidate{sig: t.sig}
	if j.policy.timely() {
		if there.at, err = j.time(t); err != nil {
			return false, err
		}
	}
	if j.policy.Prefer != nil {
		if there.doc, err = j.reader.Document(t.id); err != nil {
			return false, err
		}
	}
	return j.policy.prefers(d.candidate(), there), nil
}
