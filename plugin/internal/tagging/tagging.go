// Package tagging tags the documents that an index has as copies of one of them, for package
// plugin/campaign.
package tagging

import (
	"bytes"
	"maps"
	"slices"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
	"github.com/neardup/bleve-neardup/plugin/internal/signing"
)

// Copies tags the documents of a batch as copies of the document of an id, if the index has them with the
// same signature, and takes the others out of the batch. Nothing else must be written until the batch was.
func Copies(batch *index.Batch, of string, p *admission.Policy, open func() (index.IndexReader, error)) (verdicts []admission.Verdict, err error) {
	if p == nil {
		p = new(admission.Policy)
	}
	reader, err := open()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	known := column.Of(reader, p.FieldName())
	for _, id := range slices.Sorted(maps.Keys(batch.IndexOps)) {
		v := admission.Verdict{ID: id, Action: admission.Accept}
		d, ok := batch.IndexOps[id].(*signing.Document)
		if ok {
			if ok, err = tagCopy(d, p, known, reader); err != nil {
				return nil, err
			}
		}
		if !ok {
			delete(batch.IndexOps, id)
			verdicts = append(verdicts, v)
			continue
		}
		v.Action, v.Policy = admission.Tag, admission.ByCampaign
		if id != of {
			v.Of = of
		}
		d.Tag(v)
		verdicts = append(verdicts, v)
	}
	return verdicts, nil
}

// tagCopy gives a document the time of the one that the index has of its id, and reports whether
// both have the same signature.
func tagCopy(d *signing.Document, p *admission.Policy, known *column.Reader, reader index.IndexReader) (same bool, err error) {
	number, err := reader.InternalID(d.ID())
	if err != nil || number == nil {
		return false, err
	}
	doc := number.Value()
	now := &gate.Document{Document: d}
	signing.Describe(p, []*gate.Document{now})
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
	name := signature.TimeField(p.FieldName())
	at, err := known.Stored(doc, name)
	if err == nil && at != nil {
		d.Keep(name, at)
	}
	return true, err
}
