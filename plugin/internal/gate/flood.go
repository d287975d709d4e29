package gate

import (
	"cmp"

	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// tally counts the near-duplicates of a document that count for one flood.
type tally struct {
	flood    *admission.Flood
	document *Document
	first    *duplicate // that counts
	copies   int
	values   map[uint64]bool // of the field Flood.Distinct, other than the document's own
}

// tallies are of all floods of the policy, with nothing counted.
func (j *judgement) tallies(d *Document) (all []*tally) {
	for _, f := range j.policy.AllFloods() {
		all = append(all, &tally{flood: f, document: d, values: map[uint64]bool{}})
	}
	return all
}

func (t *tally) full() bool { return t.copies >= t.flood.Copies }

// full reports whether nothing more needs to be counted.
func full(all []*tally) bool {
	for _, t := range all {
		if !t.full() {
			return false
		}
	}
	return true
}

// tally counts one near-duplicate.
func (j *judgement) tally(all []*tally, other *duplicate) error {
	at, err := j.time(other)
	if err != nil || at.IsZero() {
		return err
	}
	for _, t := range all {
		f := t.flood
		if t.full() || at.Sub(t.document.Time).Abs() >= f.Window {
			continue
		}
		if f.Same != "" {
			same, err := j.value(other, f.Same)
			if err != nil {
				return err
			}
			if same != t.document.Values[f.Same] {
				continue
			}
		}
		if f.Distinct != "" {
			value, err := j.value(other, f.Distinct)
			if err != nil {
				return err
			}
			if value == t.document.Values[f.Distinct] || t.values[value] {
				continue
			}
			t.values[value] = true
		}
		if t.copies++; t.first == nil {
			t.first = other
		}
	}
	return nil
}

// value is column.ValuesOf the terms of a field of a duplicate.
func (j *judgement) value(t *duplicate, field string) (value uint64, err error) {
	if t.place >= 0 {
		return j.docs[t.place].Values[field], nil
	}
	if j.values == nil {
		if j.values, err = j.reader.DocValueReader(j.policy.FloodFields()); err != nil {
			return 0, err
		}
	}
	return column.ScopeIn(j.values, column.Number(t.doc), field)
}

// flood adds to v what the policy makes of the number of duplicates.
func (j *judgement) flood(v admission.Verdict, d *Document, duplicates []duplicate) (admission.Verdict, error) {
	all := j.tallies(d)
	for i := range duplicates {
		if full(all) {
			break
		}
		if err := j.tally(all, &duplicates[i]); err != nil {
			return v, err
		}
	}
	for _, t := range all {
		if f := t.flood; t.full() {
			v = severest(v, admission.Verdict{
				ID: d.ID, Action: cmp.Or(f.Action, admission.Reject), Policy: byFlood,
				Of: t.first.id, Match: &t.first.match, Copies: t.copies, Distinct: f.Distinct, Same: f.Same,
			})
		}
	}
	return v, nil
}
