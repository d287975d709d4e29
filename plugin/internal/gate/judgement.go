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
	policy  policy
	docs    []*Document
	deletes []string
	marks   *marks.Marks
	flights flights // none of a dry run, which waits for nothing
	now     time.Time

	rule   signature.Rule
	reader index.IndexReader
	known  *column.Reader
	lookup *column.Lookup
	probe  table.Probe
	ids    map[uint64]string         // of documents in the index that were met
	read   map[string]bool           // ids of documents in the index that verdicts rest on
	self   string                    // the id of the last document that met its own old version
	values map[string]*column.Scopes // of fields that floods count

	gone     map[string]bool // ids whose documents in the index will not be there any more
	written  *written        // of the batch itself
	verdicts []admission.Verdict
	replaced []string
	wait     *flight // that must end before this batch can be judged
}

// meets returns a flight that writes, deletes, or rests on what the batch writes or deletes, nil if there is none.
func (j *judgement) meets() *flight {
	for _, id := range j.deletes {
		if f := j.flights.using(id); f != nil {
			return f
		}
	}
	for _, d := range j.docs {
		if f := j.flights.using(d.ID); f != nil {
			return f
		}
	}
	return nil
}

// look gets ready to look documents up in a snapshot. An error can be of documents whose field has different
// rules, where the policy leaves open in what they differ.
func (j *judgement) look(ctx context.Context, reader index.IndexReader) (err error) {
	var first *Document
	for _, d := range j.docs {
		if d.Signature == nil {
			continue
		}
		own := j.policy.Rule.Over(d.Rule)
		if first == nil {
			j.rule, first = own, d
		}
		if own != j.rule {
			return fmt.Errorf("admission: field %q: wanted documents of one rule in a batch, got %+v of %q and %+v of %q: a rule of the policy settles it",
				FieldOf(j.policy.Policy), j.rule, first.ID, own, d.ID)
		}
	}
	j.reader = reader
	if j.known = column.Of(reader, FieldOf(j.policy.Policy)); j.known == nil {
		return fmt.Errorf("admission: wanted a snapshot of an index of type neardup, got a %T", reader)
	}
	switch {
	case j.policy.Group:
		j.lookup, err = j.known.NamedLookup(ctx, j.rule, j.policy.Scope)
	case j.policy.looks():
		j.lookup, err = j.known.Lookup(ctx, j.rule, table.Plan{}, j.policy.Scope)
	}
	return err
}

// run judges the documents, or finds the flight to wait for.
func (j *judgement) run() error {
	order := j.policy.order(j.docs)
	// An update frees the place of the document as it was, unless it is rejected.
	stuck := map[string]bool{}
	for again := true; again; {
		again = false
		j.begin(stuck)
		for _, i := range order {
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

// settle takes out of Replaced what is there all the same: an update that was rejected in an earlier round, and is
// written after all.
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
func (j *judgement) begin(stuck map[string]bool) {
	j.gone = map[string]bool{}
	for _, id := range j.deletes {
		j.gone[id] = true
	}
	for _, d := range j.docs {
		j.gone[d.ID] = !stuck[d.ID]
	}
	j.written = &written{j.rule, j.docs, map[uint64]*places{}}
	j.replaced = nil
	j.verdicts = make([]admission.Verdict, len(j.docs))
}

// flight announces what is going to be written. A document that is rejected is read: if
// there was one of its id, that one stays, and documents after it are compared with it.
func (j *judgement) flight() *flight {
	f := &flight{done: make(chan struct{}), touched: map[string]bool{}, read: j.read, written: j.written}
	for _, id := range slices.Concat(j.deletes, j.replaced) {
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
func (j *judgement) verdict(i int, d *Document) (v admission.Verdict, err error) {
	v = admission.Verdict{ID: d.ID, Action: admission.Accept}
	var duplicates []duplicate
	if d.signed() && j.policy.looks() {
		if duplicates, err = j.duplicates(d); err != nil || j.wait != nil {
			return v, err
		}
	}
	if d.signed() {
		if v, err = j.decide(d, duplicates); err != nil {
			return v, err
		}
	}
	if j.policy.Shadow && severity(v.Action) > severity(admission.Tag) {
		v.Would, v.Action, v.Replaced = v.Action, admission.Tag, nil
	}
	if v.Action == admission.Reject {
		return v, nil
	}
	if v.Group = d.Group; v.Group == "" && j.policy.Group {
		if err := j.join(&v, d, duplicates); err != nil || j.wait != nil {
			return v, err
		}
	}
	j.replaced = append(j.replaced, v.Replaced...)
	for _, id := range v.Replaced {
		j.gone[id] = true
	}
	if d.signed() {
		j.written.add(i)
	}
	return v, nil
}

// decide is what the policy makes of d, which has text, and of its duplicates.
func (j *judgement) decide(d *Document, duplicates []duplicate) (v admission.Verdict, err error) {
	v = j.own(d)
	defer func() {
		if d.Unscoped {
			v.Unscoped = j.policy.Scope
		}
	}()
	text := marks.Text{Signatures: []*signature.Signature{d.Signature}, Scope: d.Scope}
	if d.Whole != nil {
		text.Signatures = append(text.Signatures, d.Whole)
	}
	mark, how, err := j.marks.Like(j.policy.Policy, j.rule, j.now, text)
	if err != nil {
		return v, err
	}
	if mark != nil {
		like := admission.Verdict{ID: d.ID, Action: j.policy.Known, Policy: "known", Mark: mark.Name, Test: how.Test, Match: &how.Match, Share: how.Share}
		if mark.Label == admission.Wanted {
			like.Action, like.Policy = admission.Accept, "wanted"
			return severest(like, v), nil
		}
		if severity(like.Action) > 0 {
			v = severest(like, v)
		}
	}
	if v, err = j.flood(v, d, duplicates); err != nil || len(duplicates) == 0 || severity(j.policy.Near) == 0 {
		return v, err
	}
	near, err := j.near(d, duplicates)
	return severest(v, near), err
}

// own is what the policy makes of d by itself: of what it lacks, of what it repeats, and of what is hidden in it.
func (j *judgement) own(d *Document) admission.Verdict {
	v := admission.Verdict{ID: d.ID, Action: admission.Accept}
	if d.Unscoped {
		v = severest(v, admission.Verdict{ID: d.ID, Action: j.policy.Unscoped, Policy: "unscoped"})
	}
	if r := j.policy.Repetition; r != nil && d.Repetition != nil {
		if exceeded := r.Limits.Exceeded(*d.Repetition); len(exceeded) > 0 {
			v = severest(v, admission.Verdict{ID: d.ID, Action: cmp.Or(r.Action, admission.Tag), Policy: "repetition", Exceeded: exceeded})
		}
	}
	if h := j.policy.Hidden; h != nil && d.Words != nil && d.Words.Hidden >= uint64(cmp.Or(h.MinWords, 20)) && d.Words.Share() >= h.Share {
		v = severest(v, admission.Verdict{ID: d.ID, Action: cmp.Or(h.Action, admission.Tag), Policy: "hidden", Hidden: d.Words.Share()})
	}
	return v
}

// near is what the policy makes of the duplicates of d.
func (j *judgement) near(d *Document, duplicates []duplicate) (admission.Verdict, error) {
	v := admission.Verdict{ID: d.ID, Action: j.policy.Near, Policy: "near"}
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
				break
			}
		}
	}
	v.Of, v.Match = head.id, &head.match
	return v, nil
}
