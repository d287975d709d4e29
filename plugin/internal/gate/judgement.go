package gate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/marks"
)

// judgement is one attempt to judge a batch.
type judgement struct {
	policy *policy
	rule   signature.Rule

	docs    []*Document
	order   []int // in which docs are judged, by place
	marks   *marks.Marks
	flights flights // none of a dry run, which waits for nothing
	now     time.Time

	reader  index.IndexReader
	known   *column.Reader
	lookup  *column.Lookup
	probe   table.Probe
	gone    map[string]bool   // ids whose documents in the index will not be there any more
	written *written          // of the batch itself
	ids     map[uint64]string // of documents in the index that were met
	read    map[string]bool   // ids of documents in the index that verdicts rest on
	values  index.DocValueReader

	verdicts []admission.Verdict
	replaced []string
	wait     *flight // that must end before this batch can be judged
	passed   *flight // that the document passes by which is being judged
	steadies map[string]bool
}

// newJudgement returns one that has not begun. The error is of documents whose field has different
// rules, where the policy leaves open in what they differ.
func newJudgement(p *policy, docs []*Document) (*judgement, error) {
	rule, first := p.Rule, (*Document)(nil)
	for _, d := range docs {
		if d.Signature == nil {
			continue
		}
		own := p.Rule.Over(d.Rule)
		if first == nil {
			rule, first = own, d
		}
		if own != rule {
			return nil, fmt.Errorf("admission: field %q: wanted documents of one rule in a batch, got %+v of %q and %+v of %q: a rule of the policy settles it",
				FieldOf(p.Policy), rule, first.ID, own, d.ID)
		}
	}
	j := &judgement{policy: p, rule: rule, docs: docs, order: p.order(docs), read: map[string]bool{}, ids: map[uint64]string{}}
	j.begin(nil, nil)
	return j, nil
}

// run judges the documents, or finds the flight to wait for.
func (j *judgement) run(ctx context.Context, deletes []string) error {
	if j.known = column.Of(j.reader, FieldOf(j.policy.Policy)); j.known == nil {
		return fmt.Errorf("admission: wanted a snapshot of an index of type neardup, got a %T", j.reader)
	}
	if j.policy.looks() {
		var err error
		if j.lookup, err = j.known.Lookup(ctx, j.rule, table.Plan{}, j.policy.Scope); err != nil {
			return err
		}
	}
	// An update frees the place of the document as it was, unless it is rejected.
	stuck := map[string]bool{}
	for again := true; again; {
		again = false
		j.begin(deletes, stuck)
		for _, i := range j.order {
			var err error
			if j.verdicts[i], err = j.verdict(i, j.docs[i]); err != nil || j.wait != nil {
				return err
			}
		}
		for i, d := range j.docs {
			if j.verdicts[i].Action != admission.Reject || stuck[d.ID] {
				continue
			}
			there, err := j.reader.InternalID(d.ID)
			if err != nil {
				return err
			}
			if there != nil {
				stuck[d.ID], again = true, true
			}
		}
	}
	j.settle()
	return nil
}

// settle takes out of Replaced what is there all the same: an update that was rejected in an earlier round, so that its old
// place counted and was replaced, and that is written after all.
func (j *judgement) settle() {
	if len(j.replaced) == 0 {
		return
	}
	written := map[string]bool{}
	for _, v := range j.verdicts {
		written[v.ID] = v.Action != admission.Reject
	}
	for i := range j.verdicts {
		v := &j.verdicts[i]
		v.Replaced = slices.DeleteFunc(v.Replaced, func(id string) bool { return written[id] })
	}
}

// begin begins to judge the batch from the start. stuck are ids of updates that were rejected the last time.
func (j *judgement) begin(deletes []string, stuck map[string]bool) {
	j.gone = make(map[string]bool, len(deletes)+len(j.docs))
	for _, id := range deletes {
		j.gone[id] = true
	}
	for _, d := range j.docs {
		j.gone[d.ID] = !stuck[d.ID]
	}
	j.written = &written{j.rule, j.docs, map[uint64]*places{}}
	j.replaced, j.steadies = nil, map[string]bool{}
	j.verdicts = make([]admission.Verdict, len(j.docs))
}

// flight announces what is going to be written. A document that is rejected is read: if
// there was one of its id, that one stays, and documents after it are compared with it.
func (j *judgement) flight(deletes []string) *flight {
	f := &flight{done: make(chan struct{}), touched: map[string]bool{}, read: j.read, written: j.written, steady: j.steadies}
	for _, id := range slices.Concat(deletes, j.replaced) {
		f.touched[id] = true
	}
	for i, d := range j.docs {
		if j.verdicts[i].Action != admission.Reject {
			f.touched[d.ID] = true
		} else {
			f.read[d.ID] = true
		}
	}
	return f
}

// verdict judges the i-th document, which is d.
func (j *judgement) verdict(i int, d *Document) (admission.Verdict, error) {
	v := admission.Verdict{ID: d.ID, Action: admission.Accept}
	if d.Signature == nil || d.Signature.Tokens == 0 {
		return v, nil
	}
	text := marks.Text{Signatures: []*signature.Signature{d.Signature}, Scope: d.Scope}
	if d.Whole != nil {
		text.Signatures = append(text.Signatures, d.Whole)
	}
	mark, how, err := j.marks.Like(j.policy.Policy, j.rule, j.now, text)
	if err != nil {
		return v, err
	}
	if mark != nil {
		like := admission.Verdict{ID: d.ID, Mark: mark.Name, Test: how.Test, Match: &how.Match, Share: how.Share}
		switch {
		case mark.Label == admission.Wanted:
			like.Action, like.Policy = admission.Accept, byWanted
			return j.end(i, d, severest(like, j.own(d))), nil
		case severity(j.policy.Known) > 0:
			like.Action, like.Policy = j.policy.Known, byKnown
			v = like
		}
	}
	var duplicates []duplicate
	if j.policy.looks() {
		if duplicates, err = j.duplicates(d); err != nil || j.wait != nil {
			return v, err
		}
	}
	v, err = j.flood(severest(v, j.own(d)), d, duplicates)
	if err != nil {
		return v, err
	}
	if len(duplicates) > 0 && severity(j.policy.Near) > 0 {
		near, err := j.near(d, duplicates)
		if err != nil {
			return v, err
		}
		v = severest(v, near)
	}
	return j.end(i, d, v), nil
}

// end does what follows from the verdict on the i-th document.
func (j *judgement) end(i int, d *Document, v admission.Verdict) admission.Verdict {
	if j.policy.Shadow && severity(v.Action) > severity(admission.Tag) {
		v.Would, v.Action, v.Replaced = v.Action, admission.Tag, nil
	}
	if d.Unscoped {
		v.Unscoped = j.policy.Scope
	}
	j.replaced = append(j.replaced, v.Replaced...)
	for _, id := range v.Replaced {
		j.gone[id] = true
	}
	if v.Action != admission.Reject {
		j.written.add(i)
	}
	return v
}

// own is what the policy makes of d by itself: of what it lacks, of what it repeats, and of what is hidden in it.
func (j *judgement) own(d *Document) admission.Verdict {
	v := admission.Verdict{ID: d.ID, Action: admission.Accept}
	if d.Unscoped {
		v = severest(v, admission.Verdict{ID: d.ID, Action: j.policy.Unscoped, Policy: byUnscoped})
	}
	if r := j.policy.Repetition; r != nil && d.Repetition != nil {
		if exceeded := r.Limits.Exceeded(*d.Repetition); len(exceeded) > 0 {
			v = severest(v, admission.Verdict{ID: d.ID, Action: cmp.Or(r.Action, admission.Tag), Policy: byRepetition, Exceeded: exceeded})
		}
	}
	if h := j.policy.Hidden; h != nil && d.Words != nil && h.Exceeded(*d.Words) {
		v = severest(v, admission.Verdict{ID: d.ID, Action: cmp.Or(h.Action, admission.Tag), Policy: byHidden, Hidden: d.Words.Share()})
	}
	return v
}

// near is what the policy makes of the duplicates of d.
func (j *judgement) near(d *Document, duplicates []duplicate) (admission.Verdict, error) {
	v := admission.Verdict{ID: d.ID, Action: j.policy.Near, Policy: byNear}
	head := &duplicates[0]
	switch v.Action {
	case admission.Replace:
		if most := j.policy.maxReplaced(); most >= 0 && len(duplicates) > most {
			v.Action, v.Capped = admission.Reject, most
			break
		}
		for i := range duplicates {
			preferred, err := j.preferred(d, &duplicates[i])
			if err != nil {
				return v, err
			}
			if !preferred {
				v.Action, v.Replaced, head = admission.Reject, nil, &duplicates[i]
				break
			}
			v.Replaced = append(v.Replaced, duplicates[i].id)
		}
	case admission.Tag:
		for i := range duplicates {
			tagged, err := j.tagged(&duplicates[i])
			if err != nil {
				return v, err
			}
			if !tagged {
				head = &duplicates[i]
				j.steadies[d.ID] = true
				break
			}
		}
	}
	v.Of, v.Match = head.id, &head.match
	return v, nil
}
