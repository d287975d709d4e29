package indextype

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/plugin/admission"
	"github.com/neardup/bleve-neardup/plugin/internal/gate"
	"github.com/neardup/bleve-neardup/plugin/internal/marks"
)

// MarkText marks a text of one or more values, and all that is like it (admission.KnownRule), under a name. If it
// touches what was accepted (Touches), the mark is strict: of copies alone. Nothing is written while it looks. It signs
// the text as plugin.Sign does. To mark it for one scope, or until some time, or loosely all the same, call SetMark.
func (x *Index) MarkText(ctx context.Context, name string, label admission.Label, text ...string) error {
	field := gate.FieldOf(x.Policy())
	m, err := x.mapping()
	if err != nil {
		return err
	}
	s, err := neardup.Sign(m, field, x.Templates()[field].Of(""), text...)
	return x.mark(ctx, name, label, s, err)
}

// MarkDocument marks a document of the index, and all that is like it, under a name, as MarkText does. The
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
	m := admission.Mark{Name: name, Label: label, Signature: s, Marked: time.Now().UTC()}
	leave, err := x.gate.Enter(ctx, true)
	if err != nil {
		return err
	}
	defer leave()
	touched, err := x.Touches(ctx, m)
	if err != nil {
		return fmt.Errorf("mark %q: %w", name, err)
	}
	m.Strict = len(touched[0]) > 0
	return x.marks.Set([]admission.Mark{m}, nil)
}

// Touches returns, for each of some marks that are not set yet, the ids of documents of the index that it would have
// stopped by more than a near-duplicate, if it is of spam and not strict: such as the mails of a list, if the spam has
// its footer. What is like another mark of spam, or a near-duplicate of one of the given marks, does not count. It
// compares the marks with all documents: some 100 ns for each pair.
func (x *Index) Touches(ctx context.Context, some ...admission.Mark) (touched [][]string, err error) {
	if ctx == nil {
		return nil, errors.New("neardup: wanted a context, got nil")
	}
	touched = make([][]string, len(some))
	p := *cmp.Or(x.Policy(), &admission.Policy{})
	p.Known = admission.Reject
	m, err := x.mapping()
	if err != nil {
		return nil, err
	}
	rule, _, err := neardup.RuleOf(m, gate.FieldOf(&p), p.Rule)
	if err != nil {
		return nil, err
	}
	reader, err := x.Reader()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	known := column.Of(reader, gate.FieldOf(&p))
	var scopes *column.Scopes
	if p.Scope != "" {
		if scopes, err = known.Scopes(reader, p.Scope); err != nil {
			return nil, err
		}
	}
	ids, err := reader.DocIDReaderAll()
	if err != nil {
		return nil, err
	}
	defer ids.Close()
	for {
		id, err := ids.Next()
		if err = cmp.Or(err, ctx.Err()); err != nil || id == nil {
			return touched, err
		}
		sig, err := known.Signature(id.Value())
		if err != nil {
			continue // it has none, or one that is damaged
		}
		like := touching(some, &p, rule, sig)
		if len(like) == 0 {
			continue
		}
		text := marks.Text{Signatures: []*signature.Signature{sig}}
		if scopes != nil {
			if text.Scope, err = scopes.Of(id.Value()); err != nil {
				return nil, err
			}
		}
		other, _, err := x.marks.Like(&p, rule, time.Now(), text)
		if err != nil {
			return nil, err
		}
		name, err := reader.ExternalID(id)
		if err != nil {
			return nil, err
		}
		for _, i := range like {
			if other == nil && (len(some[i].Scope) == 0 || column.ScopeOf(some[i].Scope...) == text.Scope) {
				touched[i] = append(touched[i], name)
			}
		}
	}
}

// touching returns the places of the marks of spam that a document is like by more than a near-duplicate: none if it is
// a near-duplicate of one.
func touching(some []admission.Mark, p *admission.Policy, rule signature.Rule, sig *signature.Signature) (like []int) {
	for i, mark := range some {
		if mark.Label != admission.Spam || mark.Strict || mark.Signature == nil {
			continue
		}
		switch l, ok := p.KnownRule.Like(rule, mark.Label, mark.Signature, sig); {
		case ok && l.Test == "near":
			return nil
		case ok:
			like = append(like, i)
		}
	}
	return like
}

// SignatureOf returns the signature that a document has in a fingerprinted field.
func (x *Index) SignatureOf(field, id string) (*signature.Signature, error) {
	reader, err := x.Engine.Reader()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	doc, err := column.Document(reader, id)
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

// SetMark keeps marks, all or none. Their Signatures must be of the policy's field: plugin.Sign makes one from a text,
// and plugin.SignatureOf reads the one of a document. SetMark waits for writes that have begun, or returns the error of
// ctx and keeps nothing. When it returns, the marks are on disk, also with bleve's setting unsafe_batch: one call with
// many marks is faster than a call for each. bleve's Rollback to an older snapshot does not take marks back, but to one
// from before the first mark.
func (x *Index) SetMark(ctx context.Context, marks ...admission.Mark) error {
	marks = slices.Clone(marks)
	for i := range marks {
		if marks[i].Marked.IsZero() {
			marks[i].Marked = time.Now().UTC()
		}
	}
	return x.setMarks(ctx, marks, nil)
}

// Unmark removes the marks with these names. It is no error if there are none. ctx is used as in SetMark.
func (x *Index) Unmark(ctx context.Context, names ...string) error {
	return x.setMarks(ctx, nil, names)
}

// setMarks keeps some marks and removes others, and puts that in force when all writes that have begun have ended.
func (x *Index) setMarks(ctx context.Context, some []admission.Mark, removed []string) error {
	leave, err := x.gate.Enter(ctx, true)
	if err != nil {
		return err
	}
	defer leave()
	return x.marks.Set(some, removed)
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
