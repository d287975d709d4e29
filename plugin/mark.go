package plugin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/indexes"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/templates"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// MarkText marks a text of one or more values, and all that is like it (admission.KnownRule), under a name.
// It signs the text as Sign does. To mark them for one scope, or until some time, call SetMark.
func MarkText(ctx context.Context, x bleve.Index, name string, label admission.Label, text ...string) error {
	n, err := inner(x)
	if err != nil {
		return err
	}
	s, err := Sign(x, markedField(n), text...)
	if err != nil {
		return err
	}
	return SetMark(ctx, x, admission.Mark{Name: name, Label: label, Signature: s})
}

// MarkDocument marks a document of the index, and all that is like it, under a name. The
// mark stays after the document is deleted.
func MarkDocument(ctx context.Context, x bleve.Index, name string, label admission.Label, id string) error {
	n, err := inner(x)
	if err != nil {
		return err
	}
	s, err := SignatureOf(x, markedField(n), id)
	if err != nil {
		return fmt.Errorf("mark %q: %w", name, err)
	}
	return SetMark(ctx, x, admission.Mark{Name: name, Label: label, Signature: s})
}

// SetMark keeps marks, all or none. Their Signatures must be of the policy's field: Sign makes one from a
// text, and SignatureOf reads the one of a document. SetMark waits for writes that have begun.
// If ctx ends first, it returns the error of ctx and keeps nothing. Many marks are kept faster by one call
// than one by one: bleve writes all that it keeps anew with each.
func SetMark(ctx context.Context, x bleve.Index, marks ...admission.Mark) error {
	if _, err := inner(x); err != nil {
		return err
	}
	b := x.NewBatch()
	for _, m := range marks {
		if m.Marked.IsZero() {
			m.Marked = time.Now().UTC()
		}
		key, value, err := gate.EncodeMark(&m)
		if err != nil {
			return err
		}
		b.SetInternal(key, value)
	}
	_, err := send(ctx, x, b, false)
	return err
}

// Unmark removes the mark with that name. It is no error if there is none. ctx is used as in
// SetMark.
func Unmark(ctx context.Context, x bleve.Index, name string) error {
	if _, err := inner(x); err != nil {
		return err
	}
	b := x.NewBatch()
	b.DeleteInternal([]byte(gate.MarkPrefix + name))
	_, err := send(ctx, x, b, false)
	return err
}

// Marks returns the marks of an index in the order of their names, including expired ones.
func Marks(x bleve.Index) ([]admission.Mark, error) {
	n, err := inner(x)
	if err != nil {
		return nil, err
	}
	return n.Marks()
}

// UnusedMarks returns the marks that decided nothing since a time, and were set before it, in the
// order of their names. Unmark removes them; Mark.Idle lets a mark expire by itself.
func UnusedMarks(x bleve.Index, since time.Time) ([]admission.Mark, error) {
	all, err := Marks(x)
	return slices.DeleteFunc(all, func(m admission.Mark) bool { return !m.Since().Before(since) }), err
}

// markedField returns the field that marks are for: the policy's, or DefaultField without a
// policy.
func markedField(n *indextype.Index) string {
	p := n.Policy()
	if p == nil {
		p = new(admission.Policy)
	}
	return p.FieldName()
}

// Sign returns the signature that a document with these values would have in the
// fingerprinted field of that name, if it had the scope "" (package templates): see SignScoped.
func Sign(x bleve.Index, field string, values ...string) (*signature.Signature, error) {
	return SignScoped(x, field, "", values...)
}

// SignScoped is Sign for a document of a scope: the template of that scope is left out, if x
// leaves one out. It returns an error for an alias of indexes that leave out different ones.
func SignScoped(x bleve.Index, field, scope string, values ...string) (*signature.Signature, error) {
	if err := indexes.Present(x); err != nil {
		return nil, fmt.Errorf("plugin: %w", err)
	}
	sets, err := indexes.OneTemplates(x, field)
	if err != nil {
		return nil, fmt.Errorf("plugin: %w", err)
	}
	return templates.Signer{Mapping: x.Mapping(), Field: field, Sets: sets}.Sign(scope, values...)
}

// SignatureOf returns the signature that a document of the index has in the fingerprinted
// field of that name, Field if it is empty.
func SignatureOf(x bleve.Index, field, id string) (*signature.Signature, error) {
	if _, err := inner(x); err != nil {
		return nil, err
	}
	doc, err := x.Document(id)
	if err != nil {
		return nil, err
	}
	if doc == nil {
		return nil, fmt.Errorf("plugin: wanted a document of the index, got %q", id)
	}
	if field == "" {
		field = Field
	}
	name := signature.SketchField(field)
	s, err := stored.OfDocument(doc, name)
	if errors.Is(err, stored.ErrNone) {
		err = fmt.Errorf("wanted a document with a signature in the stored field %q, got one without", name)
	}
	if err != nil {
		return nil, fmt.Errorf("plugin: document %q: %w", id, err)
	}
	return s, nil
}
