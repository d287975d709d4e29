package gate

import (
	"cmp"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

// counted returns how many of some near-duplicates of a document count for a flood, up to the number that it allows,
// and the first of them.
func (j *judgement) counted(f *admission.Flood, d *Document, some []duplicate) (copies int, first *duplicate, err error) {
	values := map[uint64]bool{d.Values[f.Distinct]: true} // of the field Distinct
	for i := 0; i < len(some) && copies < f.Copies; i++ {
		other := &some[i]
		at, err := j.time(other)
		if err != nil {
			return 0, nil, err
		}
		if at.IsZero() || at.Sub(d.Time).Abs() >= f.Window {
			continue
		}
		if f.Same != "" {
			same, err := j.value(other, f.Same)
			if err != nil {
				return 0, nil, err
			}
			if same != d.Values[f.Same] {
				continue
			}
		}
		if f.Distinct != "" {
			value, err := j.value(other, f.Distinct)
			if err != nil {
				return 0, nil, err
			}
			if values[value] {
				continue
			}
			values[value] = true
		}
		if copies++; first == nil {
			first = other
		}
	}
	return copies, first, nil
}

// value is column.ScopeOf the terms of a field of a duplicate.
func (j *judgement) value(t *duplicate, field string) (value uint64, err error) {
	if t.place >= 0 {
		return j.docs[t.place].Values[field], nil
	}
	if j.values[field] == nil {
		if j.values[field], err = j.known.Scopes(j.reader, field); err != nil {
			return 0, err
		}
	}
	return j.values[field].Of(t.doc)
}

// flood adds to v what the policy makes of the number of duplicates.
func (j *judgement) flood(v admission.Verdict, d *Document, duplicates []duplicate) (admission.Verdict, error) {
	for _, f := range j.policy.Floods {
		copies, first, err := j.counted(&f, d, duplicates)
		if err != nil {
			return v, err
		}
		if copies == f.Copies {
			v = severest(v, admission.Verdict{
				ID: d.ID, Action: cmp.Or(f.Action, admission.Reject), Policy: "flood",
				Of: first.id, Match: &first.match, Copies: copies, Distinct: f.Distinct, Same: f.Same,
			})
		}
	}
	return v, nil
}

// enough reports whether a document has as many near-duplicates as its verdict needs: so many as can count but for
// floods, and those that these allow. The floods are asked at powers of two.
func (j *judgement) enough(d *Document, found []duplicate) (bool, error) {
	most := j.policy.maxDuplicates()
	if most < 0 || len(found) < most {
		return false, nil
	}
	if len(j.policy.Floods) > 0 && len(found)&(len(found)-1) > 0 {
		return false, nil
	}
	for _, f := range j.policy.Floods {
		if copies, _, err := j.counted(&f, d, found); err != nil || copies < f.Copies {
			return false, err
		}
	}
	return true, nil
}
