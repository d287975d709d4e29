package plugin

import (
	"errors"
	"fmt"

	"github.com/blevesearch/bleve/v2"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/indextype"
)

// inner returns the index of type neardup behind x, which may be an alias of one.
func inner(x bleve.Index) (*indextype.Index, error) {
	if err := indexes.Present(x); err != nil {
		return nil, fmt.Errorf("plugin: %w", err)
	}
	if _, err := x.DocCount(); err == bleve.ErrorIndexClosed { // of which Advanced says nothing
		return nil, err
	}
	in, err := x.Advanced()
	if err != nil {
		return nil, err
	}
	if n, ok := in.(*indextype.Index); ok {
		return n, nil
	}
	return nil, plain(x.Name(), in)
}

// SetPolicy puts an admission policy in force for what is written to x from now on,
// by whatever way, and keeps it with the index: whoever opens the index again is judged
// by it. nil accepts everything. Writes that have begun end under the policy before.
//
// bleve.NewUsing and bleve.OpenUsing take a policy as well, among the settings of an
// index: indextype.PolicyKey tells which of the two counts.
//
// Bleve's own Index and Batch then return an *admission.Refused, as errors.As finds
// it, if documents were rejected; all others have been written. Submit and
// SubmitBatch return what became of every document.
//
// It returns an error, and changes nothing, if the policy is not valid, if x fingerprints
// no field of the policy's name, or if x is read-only or the policy cannot be written. p
// must not be changed afterwards.
func SetPolicy(x bleve.Index, p *admission.Policy) error {
	n, err := inner(x)
	if err != nil {
		return err
	}
	if p != nil {
		if _, err := neardup.Of(x.Mapping(), p.FieldName()); err != nil {
			return err
		}
	}
	return n.SetPolicy(p)
}

// Submit writes one document, as bleve's Index does, and returns what became of it.
// A document that is rejected is no error.
func Submit(x bleve.Index, id string, data any) (admission.Verdict, error) {
	if _, err := inner(x); err != nil {
		return admission.Verdict{}, err
	}
	b := x.NewBatch()
	if err := b.Index(id, data); err != nil {
		return admission.Verdict{}, err
	}
	verdicts, err := SubmitBatch(x, b)
	if err != nil {
		return admission.Verdict{}, err
	}
	return verdicts[0], nil
}

// SubmitBatch writes a batch, as bleve's Batch does, and returns what became of its
// documents, in the order of their ids. They are judged in this order, each against
// the index and against those before it. Documents that are rejected are no error. The
// batch stays as it was, and may be sent again.
func SubmitBatch(x bleve.Index, batch *bleve.Batch) ([]admission.Verdict, error) {
	return call(x, batch, false)
}

// DryRun returns what would become of the documents of a batch, and writes nothing. The
// batch stays as it was.
func DryRun(x bleve.Index, batch *bleve.Batch) ([]admission.Verdict, error) {
	return call(x, batch, true)
}

// call sends a copy of a batch through bleve, which has no place for verdicts.
func call(x bleve.Index, batch *bleve.Batch, dry bool) ([]admission.Verdict, error) {
	n, err := inner(x)
	if err != nil {
		return nil, err
	}
	if batch == nil {
		return nil, errors.New("plugin: wanted a batch, got nil")
	}
	c := n.Begin(dry)
	defer n.End(c)
	own := x.NewBatch()
	own.Merge(batch)
	own.SetPersistedCallback(batch.PersistedCallback())
	own.SetInternal(c.Key, []byte{})
	if err := x.Batch(own); err != nil {
		return nil, err
	}
	return c.Verdicts, nil
}

// MarkText marks a text, of one or more values, and all near-duplicates of it. The
// signature of m is made from it, for the policy's field, or DefaultField if there is
// no policy.
func MarkText(x bleve.Index, m admission.Mark, text ...string) error {
	n, err := inner(x)
	if err != nil {
		return err
	}
	if m.Signature, err = Sign(x, markedField(n), text...); err != nil {
		return err
	}
	return setMark(x, m)
}

// MarkDocument marks a document of the index, and all near-duplicates of it. The mark
// stays when the document is deleted.
func MarkDocument(x bleve.Index, m admission.Mark, id string) error {
	n, err := inner(x)
	if err != nil {
		return err
	}
	doc, err := x.Document(id)
	if err != nil {
		return err
	}
	if doc == nil {
		return fmt.Errorf("plugin: mark %q: wanted a document of the index, got %q", m.Name, id)
	}
	name := signature.SketchField(markedField(n))
	m.Signature = nil
	doc.VisitFields(func(f index.Field) {
		if f.Name() == name && err == nil {
			m.Signature = new(signature.Signature)
			err = m.Signature.UnmarshalText(f.Value())
		}
	})
	if err != nil {
		return fmt.Errorf("plugin: mark %q: document %q: %w", m.Name, id, err)
	}
	return setMark(x, m)
}

func setMark(x bleve.Index, m admission.Mark) error {
	key, value, err := m.Encode()
	if err != nil {
		return err
	}
	b := x.NewBatch()
	b.SetInternal(key, value)
	return x.Batch(b)
}

// Unmark takes the mark of that name back; it is no error if there is none.
func Unmark(x bleve.Index, name string) error {
	if _, err := inner(x); err != nil {
		return err
	}
	b := x.NewBatch()
	b.DeleteInternal([]byte(admission.MarkPrefix + name))
	return x.Batch(b)
}

// Marks returns the marks of an index, in the order of their names, expired ones as
// well.
func Marks(x bleve.Index) ([]admission.Mark, error) {
	n, err := inner(x)
	if err != nil {
		return nil, err
	}
	return n.Gate().Marks()
}

// markedField is the field that marks are for.
func markedField(n *indextype.Index) string {
	p := n.Gate().Policy()
	if p == nil {
		p = new(admission.Policy)
	}
	return p.FieldName()
}

// Sign returns the signature that a document with these values would have in the
// fingerprinted field so named.
func Sign(x bleve.Index, field string, values ...string) (*signature.Signature, error) {
	if err := indexes.Present(x); err != nil {
		return nil, fmt.Errorf("plugin: %w", err)
	}
	return neardup.Sign(x.Mapping(), field, values...)
}
