package signature

import "github.com/neardup/bleve-neardup/analysis/signature/winnow"

// passages selects the fingerprints of Params.Passages while a signature is made. All its shingles take part, also the
// shingles of a template that is left out of the signature: a passage does not end where a template begins. A nil
// *passages selects none.
type passages struct {
	selector *winnow.Selector
	selected []uint64
	width    int      // of a shingle
	prints   []uint64 // scratch of AddTokens

	// The last tokens of the open value. They are kept here only where a template is left out: then the steps
	// of the signature do not meet all tokens.
	tokens []uint64
}

// newPassages returns the passages of that many words, with shingles of width words; nil for 0 words.
func newPassages(words, width int) *passages {
	if words == 0 {
		return nil
	}
	return &passages{selector: winnow.New(winnow.Window(words, width)), width: width}
}

// Add takes the next fingerprints of the open value.
func (p *passages) Add(prints []uint64) {
	if p != nil {
		p.selected = p.selector.Append(p.selected, prints)
	}
}

// AddTokens is Add for the next tokens of the open value, before any is left out. fingerprints appends to dst the
// fingerprints of the shingles of tokens.
func (p *passages) AddTokens(tokens []uint64, fingerprints func(dst, tokens []uint64) []uint64) {
	if p == nil {
		return
	}
	p.tokens = append(p.tokens, tokens...)
	p.prints = fingerprints(p.prints[:0], p.tokens)
	p.Add(p.prints)
	p.tokens = p.tokens[:copy(p.tokens, p.tokens[max(0, len(p.tokens)-p.width+1):])]
}

// EndValue ends the open value: no passage goes on in the next one.
func (p *passages) EndValue() {
	if p != nil {
		p.selector.Reset()
		p.tokens = p.tokens[:0]
	}
}

// Selected returns the fingerprints selected so far, valid until the next call.
func (p *passages) Selected() []uint64 {
	if p == nil {
		return nil
	}
	return p.selected
}

// mostSelected is the most room for selected fingerprints that is kept after a long document.
const mostSelected = 1 << 14

// Reset begins another document.
func (p *passages) Reset() {
	if p == nil {
		return
	}
	p.EndValue()
	if cap(p.selected) > mostSelected {
		p.selected = nil
	}
	p.selected = p.selected[:0]
}
