package indextype

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// MarkText marks a text of one or more values, and all that is like it (admission.KnownRule), under a name.
// It signs the text as plugin.Sign does. To mark them for one scope, or until some time, call SetMark.
func (x *Index) MarkText(ctx context.Context, name string, label admission.Label, text ...string) error {
	field := gate.FieldOf(x.Policy())
	m, err := x.mapping()
	if err != nil {
		return err
	}
	s, err := neardup.Sign(m, field, x.Templates(field).Of(""), text...)
	return x.mark(ctx, name, label, s, err)
}

// MarkDocument marks a document of the index, and all that is like it, under a name. The
// mark stays after the document is deleted.
func (x *Index) MarkDocument(ctx context.Context, name string, label admission.Label, id string) error {
	s, err := x.SignatureOf(gate.FieldOf(x.Policy()), id)
	return x.mark(ctx, name, label, s, err)
}

// mark sets a mark with a signature, or returns the error that making the signature had.
func (x *Index) mark(ctx context.Context, name string, label admission.Label, s *signature.Signature, err error) error {
	if err != nil {
		return fmt.Errorf("mark %q: %w", name, err)
	}
	return x.SetMark(ctx, admission.Mark{Name: name, Label: label, Signature: s})
}

// SignatureOf returns the signature that a document has in a fingerprinted field.
func (x *Index) SignatureOf(field, id string) (*signature.Signature, error) {
	reader, err := x.Engine.Reader()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	doc, err := reader.Document(id)
	if err != nil {
		return nil, err
	}
	if doc == nil {
		return nil, fmt.Errorf("neardup: wanted a document of the index, got %q", id)
	}
	name := signature.Field(field).Sketch()
	s, err := stored.OfDocument(doc, name)
	if err = stored.Wanted(name, err); err != nil {
		return nil, fmt.Errorf("neardup: document %q: %w", id, err)
	}
	return s, nil
}

// SetMark keeps marks, all or none. Their Signatures must be of the policy's field: plugin.Sign makes one
// from a text, and plugin.SignatureOf reads the one of a document. SetMark waits for writes that have
// begun. If ctx ends first, it returns the error of ctx and keeps nothing. When it returns, the
// marks are on disk, also with bleve's setting unsafe_batch: one call with many marks is faster
// than a call for each. An index that bleve's Rollback takes back to an older snapshot has the
// marks that were set last, or none if that snapshot is from before the first one.
func (x *Index) SetMark(ctx context.Context, marks ...admission.Mark) error {
	marks = slices.Clone(marks)
	for i := range marks {
		if marks[i].Marked.IsZero() {
			marks[i].Marked = time.Now().UTC()
		}
	}
	return x.gate.SetMarks(ctx, marks, nil)
}

// Unmark removes the marks with these names. It is no error if there are none. ctx is used as in SetMark.
func (x *Index) Unmark(ctx context.Context, names ...string) error {
	return x.gate.SetMarks(ctx, nil, names)
}

// Marks returns the marks in the order of their names, including expired ones.
func (x *Index) Marks() ([]admission.Mark, error) {
	if err := x.Writable(); err == ErrClosed { // with read_only there are marks
		return nil, err
	}
	return x.marks.All()
}

// MarkOf returns the name of a mark of spam that has a passage with this signature, or most of whose text stands in
// the passage; "" if there is none. Expired marks count, too.
func (x *Index) MarkOf(passage *signature.Signature) (string, error) {
	return x.marks.OfPassage(passage)
}
