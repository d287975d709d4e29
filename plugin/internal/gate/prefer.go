package gate

import (
	"bytes"
	"cmp"
	"slices"
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

func (d *Document) candidate() candidate { return candidate{d.Time, d.Signature, d.Document} }

// preferences returns what decides, in this order.
func (p policy) preferences() []admission.Preference {
	if p.latest() {
		return []admission.Preference{{Keep: admission.Newest}}
	}
	return p.Prefer
}

// latest reports whether of two documents between which nothing decides the one stays that is written; else it is the
// one in the index.
func (p policy) latest() bool { return len(p.Prefer) == 0 }

// timely reports whether times are compared.
func (p policy) timely() bool {
	return slices.ContainsFunc(p.preferences(), func(o admission.Preference) bool {
		return o.Keep == admission.Newest || o.Keep == admission.Oldest
	})
}

// order returns in which order the documents of a batch are judged, by their places: in that of their ids, or, where
// one can replace another, the best first, so that no document of the batch replaces another one of it.
func (p policy) order(docs []*Document) []int {
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

// compare returns more than 0 if a is to stay rather than b, less than 0 if b is, and 0 if nothing decides. A time
// that is not known is before all others.
func (p policy) compare(a, b candidate) (c int) {
	all := p.preferences()
	for i := 0; i < len(all) && c == 0; i++ {
		switch o := &all[i]; o.Keep {
		case admission.Newest:
			c = a.at.Compare(b.at)
		case admission.Oldest:
			c = b.at.Compare(a.at)
		case admission.Longest:
			c = cmp.Compare(a.sig.Tokens, b.sig.Tokens)
		case admission.Shortest:
			c = cmp.Compare(b.sig.Tokens, a.sig.Tokens)
		default:
			c = compareFields(o, a.doc, b.doc)
		}
	}
	return c
}

// compareFields is compare by a field. A document without it does not stay beside one that has it.
func compareFields(o *admission.Preference, a, b index.Document) int {
	x, y := value(a, o.Field), value(b, o.Field)
	switch {
	case y == nil && x == nil:
		return 0
	case y == nil:
		return 1
	case x == nil:
		return -1
	case o.Values != nil:
		return rank(o, y) - rank(o, x)
	case o.Least:
		x, y = y, x
	}
	return bytes.Compare(x, y)
}

// rank is the place of a value among Values.
func rank(o *admission.Preference, value []byte) int {
	if i := slices.Index(o.Values, string(value)); i >= 0 {
		return i
	}
	return len(o.Values)
}

// value is that of the first field of a document with the name, nil if there is none. bleve's form of numbers and of
// times has their order.
func value(doc index.Document, name string) (first []byte) {
	if doc == nil {
		return nil
	}
	doc.VisitFields(func(f index.Field) {
		if first != nil || f.Name() != name {
			return
		}
		first = f.Value()
		if _, time := f.(*document.DateTimeField); time {
			first, _, _ = bytes.Cut(first, []byte{0xff}) // before its layout
		}
		if first == nil {
			first = []byte{}
		}
	})
	return first
}
