package indextype

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
	"github.com/neardup/bleve-neardup/plugin/internal/signing"
)

// judge has the gate judge the documents of a batch, and returns the verdicts in the order of the ids. Then it does what the verdicts
// say: it tags documents, takes the rejected ones out of the batch, and deletes what others replace. If dry is set, other batches
// learn nothing of this one. done must be called after the batch was written.
func (x *Index) judge(ctx context.Context, batch *index.Batch, dry bool) (verdicts []admission.Verdict, done func(), err error) {
	p := x.gate.Policy()
	if p == nil {
		p = new(admission.Policy)
	}
	var docs []*gate.Document
	var deletes []string
	for _, id := range slices.Sorted(maps.Keys(batch.IndexOps)) {
		if doc := batch.IndexOps[id]; doc == nil {
			deletes = append(deletes, id)
		} else {
			docs = append(docs, &gate.Document{ID: id, Document: doc})
		}
	}
	marked, err := false, error(nil)
	if len(docs) > 0 {
		marked, err = x.marks.Any()
	}
	if err != nil {
		return nil, nil, err
	}
	signing.Describe(p, docs, marked)
	a, err := x.gate.Judge(ctx, docs, deletes, dry)
	if err != nil {
		return nil, nil, err
	}
	for i, v := range a.Verdicts {
		d, ok := batch.IndexOps[v.ID].(*signing.Document)
		switch {
		case v.Action == admission.Reject:
			delete(batch.IndexOps, v.ID)
			continue
		case !ok || !d.Fingerprinted():
			continue
		case v.Action == admission.Tag:
			d.Tag(v)
		}
		if gate.Timed(p) {
			at := docs[i].Time.UTC().Format(time.RFC3339Nano)
			d.Keep(signature.Field(gate.FieldOf(p)).Time(), []byte(at))
		}
	}
	for _, id := range a.Deletes {
		if _, written := batch.IndexOps[id]; !written {
			batch.IndexOps[id] = nil
		}
	}
	return a.Verdicts, a.Close, nil
}

// rejected is the error for the documents that were rejected, or nil if none was.
func rejected(verdicts []admission.Verdict) error {
	var r admission.Rejected
	for _, v := range verdicts {
		if v.Action == admission.Reject {
			r.Verdicts = append(r.Verdicts, v)
		}
	}
	if r.Verdicts == nil {
		return nil
	}
	return &r
}

// tagCopies tags the documents of a batch as copies of the document with the id of, if the index has them with the
// same signature and stored fields, and takes the others out of the batch. Nothing else must be written until the batch was. open opens the newest
// snapshot of the index, and p is the policy in force.
func tagCopies(batch *index.Batch, of string, p *admission.Policy, open func() (index.IndexReader, error)) (verdicts []admission.Verdict, err error) {
	if p == nil {
		p = new(admission.Policy)
	}
	reader, err := open()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	known := column.Of(reader, gate.FieldOf(p))
	for _, id := range slices.Sorted(maps.Keys(batch.IndexOps)) {
		v := admission.Verdict{ID: id, Action: admission.Accept}
		d, ok := batch.IndexOps[id].(*signing.Document)
		if ok {
			if ok, err = unchanged(d, p, known, reader); err != nil {
				return nil, err
			}
		}
		if !ok {
			delete(batch.IndexOps, id)
			verdicts = append(verdicts, v)
			continue
		}
		v.Action, v.Policy = admission.Tag, "campaign"
		if id != of {
			v.Of = of
		}
		d.Tag(v)
		verdicts = append(verdicts, v)
	}
	return verdicts, nil
}

// unchanged reports whether the index has a document with the id of d, the same signature and the same stored fields, and gives d its time.
func unchanged(d *signing.Document, p *admission.Policy, known *column.Reader, reader index.IndexReader) (same bool, err error) {
	number, err := reader.InternalID(d.ID())
	if err != nil || number == nil {
		return false, err
	}
	doc := number.Value()
	now := &gate.Document{Document: d}
	signing.Describe(p, []*gate.Document{now}, false)
	there, err := known.Signature(doc)
	if err != nil || there == nil || now.Signature == nil {
		return false, err
	}
	one, err := there.MarshalText()
	if err != nil {
		return false, err
	}
	two, err := now.Signature.MarshalText()
	if err != nil || !bytes.Equal(one, two) {
		return false, err
	}
	stored, err := reader.Document(d.ID())
	if err != nil || stored == nil || !slices.Equal(contents(stored, true), contents(d.Document, false)) {
		return false, err
	}
	name := signature.Field(gate.FieldOf(p)).Time()
	at, err := known.Stored(doc, name)
	if err == nil && at != nil {
		d.Keep(name, at)
	}
	return true, err
}

// contents are the stored values of a document that the index type does not write, sorted. All fields are stored of one that was
// read: bleve does not say so.
func contents(doc index.Document, read bool) (all []string) {
	doc.VisitFields(func(f index.Field) {
		if (read || f.Options().IsStored()) && f.Name() != "_id" && !gate.Reserved(f.Name()) {
			all = append(all, fmt.Sprintf("%s %v %c %q", f.Name(), f.ArrayPositions(), f.EncodedFieldType(), f.Value()))
		}
	})
	slices.Sort(all)
	return all
}
