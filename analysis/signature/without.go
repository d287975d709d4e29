package signature

import (
	"fmt"

	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// Without leaves the tokens that are in shingles of t out of all documents that are added from
// now on; nil ends that. Call it between documents. The signature is then that of what
// remains: its exact hash and its number of tokens, too. Counts of repetition are of the whole.
//
// It returns an error, and changes nothing, if t was learned from tokens that were made with other
// parameters, or if shingles or weights are made from the text of tokens: with the Fingerprint
// XXHash64 and with a function as SimhashWeight.
//
// A document of which nothing remains has the empty signature, which matches nothing. Left
// tells such a document from one without text: sign it again as it is, so that documents that
// are nothing but a template have one signature.
func (m *Maker) Without(t *template.Set) error {
	switch {
	case t == nil:
		m.cut = nil
		return nil
	case m.variant != nil && m.variant.weigh != nil:
		return fmt.Errorf("signature: template: wanted a simhash_weight that is one of %q, got %q, a function of the text", weights, m.params.SimhashWeight)
	case m.variant.ByText():
		return fmt.Errorf("signature: template: wanted another fingerprint than %q, got it", XXHash64)
	case t.Params() != m.id:
		return fmt.Errorf("signature: template: wanted one learned with the parameters of the signatures, %#x, got one of %#x", m.id, t.Params())
	}
	if m.spare == nil || m.spare.Set() != t {
		m.spare, m.keep = template.NewCutter(t), m.kept
	}
	m.cut = m.spare
	m.cut.Reset()
	return nil
}

// Left ends the open value, and returns how many tokens of the document were left out. Call it before Signature,
// which begins another document.
func (m *Maker) Left() uint64 {
	m.EndValue()
	if m.cut == nil {
		return 0
	}
	return m.cut.Left()
}

// without takes the new tokens that remain through all steps. The Cutter copies the new tokens, and gives those that
// remain to kept, which puts them into m.hashes again. end says that the value ends.
func (m *Maker) without(end bool) {
	fresh := m.hashes[m.old:m.have]
	if m.variant != nil {
		m.passages.AddTokens(fresh, m.variant.Fingerprints)
	} else {
		m.passages.AddTokens(fresh, m.windows.Append)
	}
	m.have = m.old
	m.cut.Cut(fresh, end, chunk, m.keep)
}

// kept takes tokens through all steps. No shingle crosses a gap before them.
func (m *Maker) kept(tokens []uint64, gap bool) {
	if gap {
		m.old = 0
	}
	m.have = m.old + copy(m.hashes[m.old:], tokens)
	at := m.tokens + m.cut.Left()
	m.numbers.Keep(at, at+uint64(len(tokens)))
	m.take()
}

// Hashes appends to dst the hashes of the tokens of text, as template.Learn takes them, for
// texts that a Maker with the parameters p takes by its method Text.
func (p Params) Hashes(dst []uint64, text []byte) []uint64 {
	s := token.NewScanner(token.NewKey(p.Seed))
	s.Reset(text)
	for {
		from := len(dst)
		dst = append(dst, make([]uint64, chunk)...)
		n := s.Next(dst[from:])
		if dst = dst[:from+n]; n == 0 {
			return dst
		}
	}
}

// TermHashes appends the hashes of tokens that another tokenizer found, which a Maker takes by
// its method Term.
func (p Params) TermHashes(dst []uint64, tokens []token.Token) []uint64 {
	key := token.NewKey(p.Seed)
	for _, t := range tokens {
		dst = append(dst, key.Hash(t.Term))
	}
	return dst
}
