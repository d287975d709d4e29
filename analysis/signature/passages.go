package signature

import (
	"github.com/neardup/bleve-neardup/analysis/signature/shingle"
	"github.com/neardup/bleve-neardup/analysis/signature/winnow"
)

// passages selects the fingerprints of Params.Passages. All shingles of a document take part, also those of a template
// that is left out of the signature: a passage does not end where a template begins.
type passages struct {
	selector *winnow.Selector
	selected []uint64
	prints   []uint64

	// The last tokens of the open value. They are kept here only where a template is left out: then the steps
	// of the signature do not meet all tokens.
	tokens []uint64
}

// newPassages returns nil unless p asks for passages.
func newPassages(p Params) *passages {
	if p.Passages == 0 {
		return nil
	}
	return &passages{selector: winnow.New(winnow.Window(p.Passages, p.Width))}
}

// add takes the fingerprints of shingles of the open value, which it does not change.
func (s *passages) add(prints []uint64, v *variant) {
	if v != nil && v.mixes { // the elements of the document, where copies have no numbers
		s.prints = append(s.prints[:0], prints...)
		v.mix(s.prints)
		prints = s.prints
	}
	s.selected = s.selector.Append(s.selected, prints)
}

// addTokens takes tokens of the open value, before any is left out.
func (s *passages) addTokens(tokens []uint64, w *shingle.Windows, v *variant) {
	s.tokens = append(s.tokens, tokens...)
	if v != nil {
		s.prints = v.shingles(s.prints[:0], s.tokens)
		v.mix(s.prints)
	} else {
		s.prints = w.Append(s.prints[:0], s.tokens)
	}
	s.selected = s.selector.Append(s.selected, s.prints)
	s.tokens = s.tokens[:copy(s.tokens, s.tokens[max(0, len(s.tokens)-w.Width()+1):])]
}

func (s *passages) endValue() {
	s.selector.Reset()
	s.tokens = s.tokens[:0]
}

// mostSelected is the most room for selected fingerprints that is kept after a long document.
const mostSelected = 1 << 14

func (s *passages) reset() {
	s.endValue()
	if cap(s.selected) > mostSelected {
		s.selected = nil
	}
	s.selected = s.selected[:0]
}

// Passages ends the open value, and returns the selected fingerprints of the document so far: see Params.Passages,
// without which there are none. Templates that are left out take part.
func (m *Maker) Passages() winnow.Prints {
	m.EndValue()
	if m.passages == nil {
		return winnow.Prints{Params: m.id}
	}
	return winnow.Of(m.id, m.passages.selected)
}
