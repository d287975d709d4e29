package admission

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/column"
)

// twin is a near-duplicate of a document, in the index or earlier in the batch.
type twin struct {
	id    string
	place int    // in the batch; -1 if it is in the index
	doc   uint64 // its number in the index
	match signature.Match
	sig   *signature.Signature
}

// fewTwins is how many near-duplicates are looked at where one is enough.
const fewTwins = 64

// mostTwins is how many near-duplicates are looked at, but for a flood: one more than may
// be replaced, or all, which is -1. A policy in shadow replaces nothing, so that families
// grow, and never looks at all.
func (p *Policy) mostTwins() int {
	switch most := p.maxReplaced(); {
	case p.Near != Replace || most < 0 && p.Shadow:
		return fewTwins
	case most < 0:
		return -1
	default:
		return most + 1
	}
}

// twins returns the near-duplicates of d by their ids: as many as Policy.mostTwins, or as
// it takes to find a flood.
func (j *judgement) twins(d *Document) (found []twin, err error) {
	most := j.policy.mostTwins()
	counted, recent := 0, 0 // of found
	enough := func() bool {
		if most < 0 || len(found) < most {
			return false
		}
		f := j.policy.Flood
		for ; f != nil && counted < len(found) && recent < f.Copies && err == nil; counted++ {
			var is bool
			if is, err = j.recent(d, &found[counted]); is {
				recent++
			}
		}
		return err != nil || f == nil || recent == f.Copies
	}
	if !j.dry {
		if j.wait = j.gate.meets(d); j.wait != nil {
			return nil, nil
		}
	}
	j.probe.Prepare(j.rule, table.Plan{}, d.Signature, d.Scope)
	j.lookup.Near(&j.probe, func(doc uint64) bool {
		var id string
		if id, err = j.id(doc); err != nil {
			return false
		}
		if id == d.ID || j.gone[id] {
			return true
		}
		if !j.dry {
			if j.wait = j.gate.writing(id); j.wait == nil && j.policy.Near == Replace {
				j.wait = j.gate.using(id)
			}
			if j.wait != nil {
				return false
			}
		}
		j.read[id] = true
		t := twin{id: id, place: -1, doc: doc}
		if t.sig, err = j.known.Signature(doc); err != nil {
			return false
		}
		t.match, _ = j.rule.Match(t.sig, d.Signature)
		found = append(found, t)
		return !enough()
	})
	if err != nil || j.wait != nil {
		return nil, err
	}
	for i := range j.written.near(d) {
		if enough() {
			break
		}
		t := twin{id: j.docs[i].ID, place: i, sig: j.docs[i].Signature}
		t.match, _ = j.rule.Match(t.sig, d.Signature)
		found = append(found, t)
	}
	slices.SortFunc(found, func(a, b twin) int { return cmp.Or(strings.Compare(a.id, b.id), a.place-b.place) })
	return found, err
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

// recent reports whether a twin of d counts for the policy's Flood.
func (j *judgement) recent(d *Document, t *twin) (bool, error) {
	at, err := j.time(t)
	return err == nil && !at.IsZero() && at.Sub(d.Time).Abs() < time.Duration(j.policy.Flood.Window), err
}

// meets returns a flight that adds a near-duplicate of d, nil if there is none.
func (g *Gate) meets(d *Document) *flight {
	for _, f := range g.flights {
		for range f.written.near(d) {
			return f
		}
	}
	return nil
}

// writing returns the flight that writes or deletes the document of that id.
func (g *Gate) writing(id string) *flight {
	for _, f := range g.flights {
		if f.touched[id] {
			return f
		}
	}
	return nil
}

// using returns the flight that writes, deletes, or goes by the document of that id.
func (g *Gate) using(id string) *flight {
	for _, f := range g.flights {
		if f.touched[id] || f.read[id] {
			return f
		}
	}
	return nil
}

// time is when a twin was sent, zero if that is not known.
func (j *judgement) time(t *twin) (time.Time, error) {
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

// tagged reports whether a twin carries a tag itself.
func (j *judgement) tagged(t *twin) (bool, error) {
	if t.place >= 0 {
		return j.verdicts[t.place].Action == Tag, nil
	}
	tag, err := j.known.Stored(t.doc, TagField)
	return tag != nil, err
}

// preferred reports whether d is to replace its twin.
func (j *judgement) preferred(d *Document, t *twin) (bool, error) {
	if j.policy.Prefer == nil && j.policy.Keep == Longest {
		return d.Signature.Tokens > t.sig.Tokens, nil
	}
	at, err := j.time(t)
	if err != nil {
		return false, err
	}
	if j.policy.Prefer == nil {
		return !d.Time.Before(at), nil
	}
	there := Candidate{ID: t.id, Time: at, Signature: t.sig}
	if t.place >= 0 {
		there.Document = j.docs[t.place].Document
	} else if there.Document, err = j.reader.Document(t.id); err != nil {
		return false, err
	}
	return j.policy.Prefer(Candidate{ID: d.ID, Time: d.Time, Signature: d.Signature, Document: d.Document}, there), nil
}
