package grouping

import (
	"encoding/binary"
	"errors"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/parts"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// Field is a further field by which hits are compared.
type Field struct {
	parts.Field
	Judge Judge // as in Options
}

// Wanted returns the further fields.
func (o *Options) Wanted() (all []parts.Field) {
	for _, f := range o.More {
		all = append(all, f.Field)
	}
	return all
}

// Judged makes a judge decide in a field, of what a rule proposes.
func (o *Options) Judged(field int, judge Judge, proposes signature.Rule) {
	if field == 0 {
		o.Judge, o.Rule = judge, proposes
		return
	}
	f := &o.More[field-1]
	f.Judge, f.Rule = judge, proposes
}

// Compared is what one field says of a member and its head.
type Compared struct {
	signature.Match // without By if they are no near-duplicates in the field
	Shares          *verify.Shares
}

// scoped reports whether heads have a table for each scope. With several fields all hits have a scope.
func (w *Walk) scoped() bool { return len(w.Fields.Within) > 0 || len(w.More) > 0 }

// of returns the rule and the judge of a field.
func (w *Walk) of(field int) (signature.Rule, Judge) {
	if field == 0 {
		return w.Rule, w.Judge
	}
	return w.More[field-1].Rule, w.More[field-1].Judge
}

// settle makes of a hit with several signatures one that can be compared in each field. Its Err says
// why it cannot be compared at all.
func (w *Walk) settle(hit *stored.Hit) {
	if len(w.More) == 0 || w.Fields.Alone() {
		return
	}
	err := w.Incomparable(hit)
	more := make([]stored.Signed, len(w.More))
	for i := range more {
		if more[i] = hit.In(i + 1); err != nil || more[i].Err != nil {
			more[i].Signature = none
		}
	}
	if err != nil || hit.Err != nil {
		hit.Signature = none
	}
	hit.More, hit.Err = more, err
}

// Incomparable returns why a hit cannot be compared at all, nil if it can: near-duplicates in all fields
// need all signatures, others one. It is stored.ErrNone for a hit without them.
func (w *Walk) Incomparable(hit *stored.Hit) error {
	lacks, readable := 0, 0
	for i := range 1 + len(w.More) {
		switch one := hit.In(i); {
		case one.Err == nil:
			readable++
		case errors.Is(one.Err, stored.ErrNone):
			lacks++
		}
	}
	switch {
	case readable > len(w.More) || w.Any && readable > 0:
		return nil
	case lacks > len(w.More) || !w.Any && lacks > 0:
		return stored.ErrNone
	}
	return Damage(hit)
}

// Damage returns why a signature of a hit cannot be read, nil if each can or is not there.
func Damage(hit *stored.Hit) error {
	for i := range 1 + len(hit.More) {
		if one := hit.In(i); one.Err != nil && !errors.Is(one.Err, stored.ErrNone) {
			return one.Err
		}
	}
	return nil
}

// severalIn returns the first head of a scope that a hit is a near-duplicate of, or -1.
func (w *Walk) severalIn(of *scope, hit *stored.Hit) int {
	if !w.Any {
		for at := range of.table.Each(hit.Signature) {
			if at = of.heads[at]; w.inAll(&w.Groups[at].Head, hit) {
				return at
			}
		}
		return -1
	}
	first := w.inOne(0, of, hit)
	for i := range w.More {
		if at := w.inOne(i+1, of, hit); at >= 0 && (first < 0 || at < first) {
			first = at
		}
	}
	return first
}

// inAll reports whether a hit is a near-duplicate of a head in all fields.
func (w *Walk) inAll(head, hit *stored.Hit) bool {
	for i := range 1 + len(w.More) {
		if w.compared(i, head, hit).By == 0 {
			return false
		}
	}
	return true
}

// inOne returns the first head that a hit is a near-duplicate of in a field, or -1.
func (w *Walk) inOne(field int, of *scope, hit *stored.Hit) int {
	t, own := of.table, hit.In(field)
	if field > 0 {
		t = of.more[field-1]
	}
	_, judge := w.of(field)
	for at := range t.Each(own.Signature) {
		at = of.heads[at]
		if judge == nil || w.compared(field, &w.Groups[at].Head, hit).By != 0 {
			return at
		}
	}
	return -1
}

// compared compares a hit with a head in a field.
func (w *Walk) compared(field int, head, hit *stored.Hit) (c Compared) {
	rule, judge := w.of(field)
	c.Match, c.Shares = match(rule, judge, only(head, field), *only(hit, field))
	return c
}

// only returns a hit with the signature of one field in place of the first.
func only(hit *stored.Hit, field int) *stored.Hit {
	of := hit.In(field)
	return &stored.Hit{DocumentMatch: hit.DocumentMatch, Signature: of.Signature, Err: of.Err}
}

// compare compares a member with its head in all fields.
func (w *Walk) compare(m *Member, head *stored.Hit) {
	in := 0
	for i := range 1 + len(w.More) {
		c := w.compared(i, head, &m.Hit)
		m.Several = append(m.Several, c)
		if c.By != 0 {
			if in++; in == 1 {
				m.Field = i
			}
		}
	}
	near := in > len(w.More) || w.Any && in > 0
	if !near {
		m.Field = 0
	}
	if m.Match, m.Shares = m.Several[m.Field].Match, m.Several[m.Field].Shares; !near {
		m.By = 0
	}
}

// textOf returns which texts a hit has.
func textOf(hit *stored.Hit) Text {
	t := Text{Params: hit.Signature.Params, Scope: hit.Scope, Exact: hit.Signature.Exact}
	var more []byte
	for _, one := range hit.More {
		more = binary.LittleEndian.AppendUint32(more, one.Signature.Params)
		more = binary.LittleEndian.AppendUint64(more, one.Signature.Exact)
	}
	t.More = string(more)
	return t
}
