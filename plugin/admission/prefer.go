package admission

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/blevesearch/bleve/v2/document"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/internal/strict"
)

// Preference is one of the things that decide which of two near-duplicates stays: either Keep, or
// Field. In JSON a Preference that is Keep alone can be a string:
//
//	"prefer": [{"field": "source", "values": ["own", "partner"]}, "longest", "newest"]
type Preference struct {
	// Keep is Newest, Oldest, Longest or Shortest.
	Keep Keep `json:"keep,omitempty"`

	// Field is the name of a stored field. The document with the greatest value there stays, by
	// number, by time, or by bytes; with Least, the one with the least. A document without the field
	// does not stay beside one that has it.
	Field string `json:"field,omitempty"`
	Least bool   `json:"least,omitempty"`

	// Values are texts that Field can have, the best first, in place of an order: any other is worse.
	Values []string `json:"values,omitempty"`
}

// UnmarshalJSON implements json.Unmarshaler. Unknown members are errors.
func (p *Preference) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte(`"`)) {
		*p = Preference{}
		return json.Unmarshal(data, &p.Keep)
	}
	type plain Preference
	var read plain
	if err := strict.Decode(data, &read); err != nil {
		return fmt.Errorf("prefer: %w", err)
	}
	*p = Preference(read)
	return nil
}

func (p *Preference) validate() error {
	keeps := []Keep{Newest, Oldest, Longest, Shortest}
	switch {
	case (p.Keep == "") == (p.Field == ""):
		return fmt.Errorf("admission: prefer: wanted either keep or field, got %q and %q", p.Keep, p.Field)
	case p.Keep != "" && !slices.Contains(keeps, p.Keep):
		return fmt.Errorf("admission: prefer: wanted one of %q, got %q", keeps, p.Keep)
	case p.Field == "" && (p.Least || p.Values != nil):
		return fmt.Errorf("admission: prefer: wanted a field for least and values, got %q", p.Keep)
	case p.Least && p.Values != nil:
		return fmt.Errorf("admission: prefer: field %q: wanted either least or values, got both", p.Field)
	}
	return nil
}

// compare returns more than 0 if a is to stay rather than b, less than 0 if b is, and 0 if p does not
// decide. A time that is not known is before all others.
func (p *Preference) compare(a, b Candidate) int {
	switch p.Keep {
	case Newest:
		return a.Time.Compare(b.Time)
	case Oldest:
		return b.Time.Compare(a.Time)
	case Longest:
		return cmp.Compare(a.Signature.Tokens, b.Signature.Tokens)
	case Shortest:
		return cmp.Compare(b.Signature.Tokens, a.Signature.Tokens)
	}
	x, y := p.value(a.Document), p.value(b.Document)
	if x == nil || y == nil {
		return cmp.Compare(present(x), present(y))
	}
	if p.Values != nil {
		return p.rank(y) - p.rank(x)
	}
	if p.Least {
		x, y = y, x
	}
	return order(x, y)
}

func present(f index.Field) int {
	if f == nil {
		return 0
	}
	return 1
}

// rank is the place of a value among Values.
func (p *Preference) rank(f index.Field) int {
	if i := slices.Index(p.Values, string(f.Value())); i >= 0 {
		return i
	}
	return len(p.Values)
}

// value is the first field of a document with the name, nil if there is none.
func (p *Preference) value(doc index.Document) (first index.Field) {
	if doc == nil {
		return nil
	}
	doc.VisitFields(func(f index.Field) {
		if first == nil && f.Name() == p.Field {
			first = f
		}
	})
	return first
}

// order compares two values: numbers, times, and else bytes.
func order(a, b index.Field) int {
	if x, ok := a.(*document.NumericField); ok {
		if y, ok := b.(*document.NumericField); ok {
			m, err1 := x.Number()
			n, err2 := y.Number()
			if err1 == nil && err2 == nil {
				return cmp.Compare(m, n)
			}
		}
	}
	if x, ok := a.(*document.DateTimeField); ok {
		if y, ok := b.(*document.DateTimeField); ok {
			m, _, err1 := x.DateTime()
			n, _, err2 := y.DateTime()
			if err1 == nil && err2 == nil {
				return m.Compare(n)
			}
		}
	}
	return strings.Compare(string(a.Value()), string(b.Value()))
}

// Replaces reports whether, by Prefer, the document that is about to be written replaces the one in
// the index: whether the first preference that decides is for it. If none decides, it does not.
func (p *Policy) Replaces(written, there Candidate) bool {
	for i := range p.Prefer {
		if c := p.Prefer[i].compare(written, there); c != 0 {
			return c > 0
		}
	}
	return false
}

// Timely reports whether Keep or Prefer compare times.
func (p *Policy) Timely() bool {
	if p.Prefer == nil {
		return p.Keep != Longest
	}
	return slices.ContainsFunc(p.Prefer, func(o Preference) bool { return o.Keep == Newest || o.Keep == Oldest })
}
