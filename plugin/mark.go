package plugin

import (
	"context"
	"fmt"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
)

// MarkText marks a text of one or more values, and all that is like it (admission.KnownRule), under a name.
// It signs the text as Sign does. To mark them for one scope, or until some time, call SetMark.
func MarkText(ctx context.Context, x bleve.Index, name string, label admission.Label, text ...string) error {
	return mark(ctx, x, name, label, func(field string) (*signature.Signature, error) { return Sign(x, field, text...) })
}

// MarkDocument marks a document of the index, and all that is like it, under a name. The
// mark stays after the document is deleted.
func MarkDocument(ctx context.Context, x bleve.Index, name string, label admission.Label, id string) error {
	return mark(ctx, x, name, label, func(field string) (*signature.Signature, error) { return SignatureOf(x, field, id) })
}

// mark sets a mark with the signature that of returns for the policy's field, which is Field without a policy.
func mark(ctx context.Context, x bleve.Index, name string, label admission.Label, of func(field string) (*signature.Signature, error)) error {
	n, err := inner(x)
	if err != nil {
		return err
	}
	p := n.Policy()
	if p == nil {
		p = new(admission.Policy)
	}
	s, err := of(p.FieldName())
	if err != nil {
		return fmt.Errorf("mark %q: %w", name, err)
	}
	return SetMark(ctx, x, admission.Mark{Name: name, Label: label, Signature: s})
}

// SetMark keeps marks, all or none. Their Signatures must be of the policy's field: Sign makes one
// from a text, and SignatureOf reads the one of a document. SetMark waits for writes that have
// begun. If ctx ends first, it returns the error of ctx and keeps nothing. When it returns, the
// marks are on disk, also with bleve's setting unsafe_batch: one call with many marks is faster
// than a call for each. An index that bleve's Rollback takes back to an older snapshot has the
// marks that were set last, or none if that snapshot is from before the first one.
func SetMark(ctx context.Context, x bleve.Index, marks ...admission.Mark) error {
	_, err := send(ctx, x, false, func(b *bleve.Batch) error {
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
		return nil
	})
	return err
}

// Unmark removes the mark with that name. It is no error if there is none. ctx is used as in
// SetMark.
func Unmark(ctx context.Context, x bleve.Index, name string) error {
	_, err := send(ctx, x, false, func(b *bleve.Batch) error {
		b.DeleteInternal([]byte(gate.MarkPrefix + name))
		return nil
	})
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
