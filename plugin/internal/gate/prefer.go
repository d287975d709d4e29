package gate

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2/document"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// candidate is one of two near-duplicates, of which one stays.
type candidate struct {
	at  time.Time // zero if it is not known
	sig *signature.Signature
	doc index.Document // with all its fields if it is about to be written, with the stored ones if it is in the index
}

func (d *Document) candidate() *candidate { return &candidate{d.Time, d.Signature, d.Document} }

// prefers reports whether a document that is written replaces one that is there. The newest does also if it is as old.
func (p *policy) prefers(written, there *candidate) bool {
	c := p.compare(written, there)
	return c > 0 || c == 0 && p.latest()
}

// latest reports whether of equals the one stays that was written later.
func (p *policy) latest() bool { return p.Prefer == nil && p.Keep != admission.Longest }

// timely reports whether times are compared.
func (p *policy) timely() bool {
	return p.latest() || slices.ContainsFunc(p.Prefer, func(o admission.Preference) bool { return o.Keep == admission.Newest || o.Keep == admission.Oldest })
}

// compare returns more than 0 if a is to stay rather than b, less than 0 if b is, and 0 if nothing decides.
func (p *policy) compare(a, b *candidate) int {
	switch {
	case p.latest():
		return a.at.Compare(b.at)
	case p.Prefer == nil:
		return cmp.Compare(a.sig.Tokens, b.sig.Tokens)
	}
	for i := range p.Prefer {
		if c := compare(&p.Prefer[i], a, b); c != 0 {
			return c
		}
	}
	return 0
}

// order returns in which order the documents of a batch are judged, by their places: in that of their ids, or, where one can replace
// another, the best first. So no document of the batch replaces another one of it, and what it would have replaced before that is
// neither deleted nor passed over for nothing.
func (p *policy) order(docs []*Document) []int {
	var order, unsigned []int // what is not signed is accepted, and compared with nothing
	for i, d := range docs {
		if d.Signature == nil {
			unsigned = append(unsigned, i)
		} else {
			order = append(order, i)
		}
	}
	if p.Near == admission.Replace {
		slices.SortStableFunc(order, func(a, b int) int {
			c := p.compare(docs[b].candidate(), docs[a].candidate())
			if c == 0 && p.latest() {
				c = b - a
			}
			return c
		})
	}
	return append(order, unsigned...)
}

// compare returns more than 0 if a is to stay rather than b, less than 0 if b is, and 0 if p does not
// decide. A time that is not known is before all others.
func compare(p *admission.Preference, a, b *candidate) int {
	switch p.Keep {
	case admission.Newest:
		return a.at.Compare(b.at)
	case admission.Oldest:
		return b.at.Compare(a.at)
	case admission.Longest:
		return cmp.Compare(a.sig.Tokens, b.sig.Tokens)
	case admission.Shortest:
		return cmp.Compare(b.sig.Tokens, a.sig.Tokens)
	}
	x, y := value(p, a.doc), value(p, b.doc)
	if x == nil || y == nil {
		return cmp.Compare(present(x), present(y))
	}
	if p.Values != nil {
		return rank(p, y) - rank(p, x)
	}
	if p.Least {
		x, y = y, x
	}
	return compareFields(x, y)
}

func present(f index.Field) int {
	if f == nil {
		return 0
	}
	return 1
}

// rank is the place of a value among Values.
func rank(p *admission.Preference, f index.Field) int {
	if i := slices.Index(p.Values, string(f.Value())); i >= 0 {
		return i
	}
	return len(p.Values)
}

// value is the first field of a document with the name, nil if there is none.
func value(p *admission.Preference, doc index.Document) (first index.Field) {
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

// compareFields compares two values: numbers, times, and else bytes.
func compareFields(a, b index.Field) int {
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
