package admission

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/column"
)

// judgement is one attempt to judge a batch.
type judgement struct {
	gate   *Gate
	policy *Policy
	rule   signature.Rule
	dry    bool
	docs   []*Document

	reader  index.IndexReader
	known   *column.Reader
	lookup  *column.Lookup
	probe   table.Probe
	gone    map[string]bool   // ids whose documents in the index will not be there any more
	written *written          // of the batch itself
	ids     map[uint64]string // of documents in the index that were met
	read    map[string]bool   // ids of documents in the index that verdicts rest on

	verdicts []Verdict
	replaced []string
	wait     *flight // that must end before this batch can be judged
}

// judge judges a batch as if it were alone, or finds the flight to wait for.
func (g *Gate) judge(ctx context.Context, p *Policy, docs []*Document, deletes []string, dry bool) (*judgement, error) {
	if len(docs) == 0 {
		return &judgement{gate: g, policy: p, written: newWritten(p.Rule)}, nil
	}
	if err := g.loadMarks(); err != nil {
		return nil, err
	}
	reader, err := g.open()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	j := &judgement{gate: g, policy: p, rule: p.Rule, dry: dry, docs: docs, reader: reader, read: map[string]bool{}}
	if j.known = column.Of(reader, p.FieldName()); j.known == nil {
		return nil, fmt.Errorf("admission: wanted a snapshot of an index of type neardup, got a %T", reader)
	}
	if j.looks() {
		if j.lookup, err = j.known.Lookup(ctx, j.rule, table.Plan{}, p.Scope); err != nil {
			return nil, err
		}
	}
	// An update frees the place of the document as it was, unless it is rejected.
	stuck := map[string]bool{}
	for {
		j.begin(deletes, stuck)
		for i, d := range docs {
			if j.verdicts[i], err = j.verdict(i, d); err != nil || j.wait != nil {
				return j, err
			}
		}
		again := false
		for i, d := range docs {
			if j.verdicts[i].Action != Reject || stuck[d.ID] {
				continue
			}
			there, err := reader.InternalID(d.ID)
			if err != nil {
				return nil, err
			}
			if there != nil {
				stuck[d.ID], again = true, true
			}
		}
		if !again {
			return j, nil
		}
	}
}

// looks reports whether near-duplicates in the index matter.
func (j *judgement) looks() bool { return j.policy.Near.severity() > 0 || j.policy.Flood != nil }

func (j *judgement) begin(deletes []string, stuck map[string]bool) {
	j.gone = make(map[string]bool, len(deletes)+len(j.docs))
	for _, id := range deletes {
		j.gone[id] = true
	}
	for _, d := range j.docs {
		j.gone[d.ID] = !stuck[d.ID]
	}
	j.written, j.replaced = newWritten(j.rule), nil
	j.verdicts = make([]Verdict, len(j.docs))
}

// flight announces what is going to be written. A document that is rejected is read: if
// there was one of its id, that has stayed for those after it to be held against.
func (j *judgement) flight(deletes []string) *flight {
	f := &flight{done: make(chan struct{}), touched: map[string]bool{}, read: j.read, written: j.written}
	for _, id := range slices.Concat(deletes, j.replaced) {
		f.touched[id] = true
	}
	for i, d := range j.docs {
		if j.verdicts[i].Action != Reject {
			f.touched[d.ID] = true
		} else {
			f.read[d.ID] = true
		}
	}
	return f
}

// waiting is the flight to wait for, nil if there is none or no judgement.
func (j *judgement) waiting() *flight {
	if j == nil {
		return nil
	}
	return j.wait
}

// verdict judges the i-th document, which is d.
func (j *judgement) verdict(i int, d *Document) (Verdict, error) {
	v := Verdict{ID: d.ID, Action: Accept}
	if d.Signature == nil || d.Signature.Tokens == 0 {
		return v, nil
	}
	mark, match := j.gate.marks.near(j.rule, d, j.policy.Scope != "", j.gate.now())
	switch {
	case mark != nil && mark.Label == Wanted:
		v = severest(Verdict{ID: d.ID, Action: Accept, Policy: ByWanted, Mark: mark.Name, Match: match}, j.repetition(d))
		return j.end(i, d, v, nil), nil
	case mark != nil && j.policy.Known.severity() > 0:
		v = Verdict{ID: d.ID, Action: j.policy.Known, Policy: ByKnown, Mark: mark.Name, Match: match}
	}
	var twins []twin
	if j.looks() {
		var err error
		if twins, err = j.twins(d); err != nil || j.wait != nil {
			return v, err
		}
	}
	v, err := j.flood(severest(v, j.repetition(d)), d, twins)
	if err != nil {
		return v, err
	}
	losers := []twin(nil)
	if len(twins) > 0 && j.policy.Near.severity() > 0 {
		var near Verdict
		if near, losers, err = j.near(d, twins); err != nil {
			return v, err
		}
		v = severest(v, near)
	}
	return j.end(i, d, v, losers), nil
}

// end does what follows from the verdict on the i-th document.
func (j *judgement) end(i int, d *Document, v Verdict, losers []twin) Verdict {
	if j.policy.Shadow && v.Action.severity() > Tag.severity() {
		v.Would, v.Action, v.Replaced = v.Action, Tag, nil
	}
	if v.Action == Replace {
		j.drop(d, losers)
	}
	if v.Action != Reject {
		j.written.add(i, d)
	}
	return v
}

// repetition is what the policy makes of what d repeats.
func (j *judgement) repetition(d *Document) Verdict {
	v := Verdict{ID: d.ID, Action: Accept}
	if r := j.policy.Repetition; r != nil && d.Repetition != nil {
		if exceeded := r.Limits.Exceeded(d.Repetition.Figures()); len(exceeded) > 0 {
			v.Action, v.Policy, v.Exceeded = cmp.Or(r.Action, Tag), ByRepetition, exceeded
		}
	}
	return v
}

// severest returns the more severe of two verdicts, the first if they are equally so.
func severest(a, b Verdict) Verdict {
	if b.Action.severity() > a.Action.severity() {
		return b
	}
	return a
}

// drop takes what d replaces out of the index, or out of the batch.
func (j *judgement) drop(d *Document, losers []twin) {
	for _, t := range losers {
		if t.place < 0 {
			j.replaced = append(j.replaced, t.id)
			j.gone[t.id] = true
			continue
		}
		match := t.match
		j.written.drop(t.place, j.docs[t.place])
		j.verdicts[t.place] = Verdict{ID: t.id, Action: Reject, Policy: ByNear, Of: d.ID, Match: &match}
	}
}

// flood adds to v what the policy makes of the number of twins.
func (j *judgement) flood(v Verdict, d *Document, twins []twin) (Verdict, error) {
	f := j.policy.Flood
	if f == nil {
		return v, nil
	}
	near := Verdict{ID: d.ID, Action: cmp.Or(f.Action, Reject), Policy: ByFlood}
	for i := range twins {
		recent, err := j.recent(d, &twins[i])
		if err != nil {
			return v, err
		}
		if !recent {
			continue
		}
		if near.Copies++; near.Of == "" {
			near.Of, near.Match = twins[i].id, &twins[i].match
		}
		if near.Copies == f.Copies {
			return severest(v, near), nil
		}
	}
	return v, nil
}

// near is what the policy makes of the twins of d, and which of them d replaces.
func (j *judgement) near(d *Document, twins []twin) (Verdict, []twin, error) {
	v := Verdict{ID: d.ID, Action: j.policy.Near, Policy: ByNear}
	head := &twins[0]
	switch v.Action {
	case Replace:
		if most := j.policy.maxReplaced(); most >= 0 && len(twins) > most {
			v.Action, v.Capped, twins = Reject, most, nil
			break
		}
		for i := range twins {
			preferred, err := j.preferred(d, &twins[i])
			if err != nil {
				return v, nil, err
			}
			if !preferred {
				v.Action, v.Replaced, twins = Reject, nil, twins[i:i+1]
				head = &twins[0]
				break
			}
			if i == 0 || twins[i].id != twins[i-1].id { // as it was, and as it is in the batch
				v.Replaced = append(v.Replaced, twins[i].id)
			}
		}
	case Tag:
		for i := range twins {
			tagged, err := j.tagged(&twins[i])
			if err != nil {
				return v, nil, err
			}
			if !tagged {
				head = &twins[i]
				break
			}
		}
	}
	v.Of, v.Match = head.id, &head.match
	return v, twins, nil
}
