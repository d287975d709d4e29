package grouping

import (
	"encoding/binary"
	"errors"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/stored"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// Judge decides whether a hit is a near-duplicate of a head, by their signatures and more.
type Judge func(head, hit *stored.Hit) (verify.Finding, bool)

// Compared is what one field says of a member and its head.
type Compared struct {
	signature.Match                // without By if they are no near-duplicates in the field
	Shares          *verify.Shares // what their texts share; nil if these were not compared
}

// nearHead returns the first head that hit is a near-duplicate of, or -1.
func (w *Walk) nearHead(hit *stored.Hit) int {
	if w.ruled() {
		return w.heads.First(hit.Scope, hit.Signature)
	}
	if !w.Any {
		return w.nearIn(0, len(w.Signed), hit)
	}
	first := -1
	for i := range w.Signed {
		first = earlier(first, w.nearIn(i, i+1, hit))
	}
	return first
}

// ruled reports whether near-duplicates are what the rule of one field says.
func (w *Walk) ruled() bool { return len(w.Signed) == 1 && w.Judges == nil }

// nearIn returns the first head that hit is a near-duplicate of in all fields from one up to another, which does not count, or -1.
func (w *Walk) nearIn(from, to int, hit *stored.Hit) int {
	return w.heads.FirstIf(hit.Scope, from, hit.In(from).Signature, func(group int) bool {
		return w.near(from, to, &w.Groups[group].Head, hit)
	})
}

// near reports whether a hit is a near-duplicate of a head in all these fields.
func (w *Walk) near(from, to int, head, hit *stored.Hit) bool {
	for i := from; i < to; i++ {
		ok := false
		if w.Judges == nil {
			ok = w.Signed[i].Rule.Duplicates(head.In(i).Signature, hit.In(i).Signature)
		} else {
			_, ok = w.Judges[i](only(head, i), only(hit, i))
		}
		if !ok {
			return false
		}
	}
	return true
}

// compare compares a member with its head in a field.
func (w *Walk) compare(field int, m *Member, head *stored.Hit) (c Compared) {
	if w.Judges == nil {
		c.Match, _ = w.Signed[field].Rule.Match(head.In(field).Signature, m.In(field).Signature)
		return c
	}
	v, ok := w.Judges[field](only(head, field), only(&m.Hit, field))
	if c.Match = v.Match; !ok {
		c.By = 0
	}
	if v.Verified {
		c.Shares = &v.Shares
	}
	return c
}

// compareAll compares a member with its head in several fields.
func (w *Walk) compareAll(m *Member, head *stored.Hit) {
	in := 0 // fields in which they are near-duplicates
	m.Several = make([]Compared, len(w.Signed))
	for i := range m.Several {
		m.Several[i] = w.compare(i, m, head)
		if m.Several[i].By != 0 {
			if in++; in == 1 {
				m.Field = i
			}
		}
	}
	near := in == len(w.Signed) || w.Any && in > 0
	if !near {
		m.Field = 0
	}
	if m.Compared = m.Several[m.Field]; !near {
		m.By = 0
	}
}

// only returns a hit with the signature of one field in place of the first.
func only(hit *stored.Hit, field int) *stored.Hit {
	if field == 0 {
		return hit
	}
	of := hit.In(field)
	return &stored.Hit{DocumentMatch: hit.DocumentMatch, Signature: of.Signature, Err: of.Err}
}

// settled returns a hit with several signatures as one that can be compared in each field. Its Err says
// why it cannot be compared at all.
func (w *Walk) settled(hit *stored.Hit) *stored.Hit {
	if len(w.Signed) == 1 || w.Fields.Alone() {
		return hit
	}
	err, own := w.Incomparable(hit), *hit
	more := make([]stored.Signed, len(w.Signed)-1)
	for i := range more {
		if more[i] = hit.In(i + 1); err != nil || more[i].Err != nil {
			more[i].Signature = none
		}
	}
	if err != nil || hit.Err != nil {
		own.Signature = none
	}
	own.More, own.Err = more, err
	return &own
}

// Incomparable returns why a hit cannot be compared at all, nil if it can: near-duplicates in all fields
// need all signatures, others one. It is stored.ErrNone for a hit without them.
func (w *Walk) Incomparable(hit *stored.Hit) error {
	lacks, readable := 0, 0
	for i := range w.Signed {
		switch one := hit.In(i); {
		case one.Err == nil:
			readable++
		case errors.Is(one.Err, stored.ErrNone):
			lacks++
		}
	}
	switch all := len(w.Signed); {
	case readable == all || w.Any && readable > 0:
		return nil
	case lacks == all || !w.Any && lacks > 0:
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

// textOf says which texts a hit has, after normalisation, and in which scope: equal texts have equal strings.
func textOf(hit *stored.Hit) string {
	text := binary.LittleEndian.AppendUint32(nil, hit.Scope)
	for i := range 1 + len(hit.More) {
		sig := hit.In(i).Signature
		text = binary.LittleEndian.AppendUint32(text, sig.Params)
		text = binary.LittleEndian.AppendUint64(text, sig.Exact)
	}
	return string(text)
}
