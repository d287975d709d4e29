package neardup

import (
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/template"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// Takes returns an error if signatures of a cannot leave t out: see signature.Maker.Without. A nil
// t is no error.
func (a *Analyzer) Takes(t *template.Set) error {
	m := a.makers.Get().(*signature.Maker)
	defer a.makers.Put(m)
	defer m.Without(nil)
	return m.Without(t)
}

// ShinglesWithout is SignWith for a signature and the fingerprints of the distinct shingles, which it appends to
// dst: see signature.Maker.Shingles. left is as Signed.Left.
func (a *Analyzer) ShinglesWithout(dst []uint64, t *template.Set, values ...[]byte) (sig signature.Signature, shingles []uint64, left uint64, err error) {
	m := a.makers.Get().(*signature.Maker)
	defer a.makers.Put(m)
	if err := m.Without(t); err != nil {
		return sig, dst, 0, err
	}
	defer m.Without(nil)
	a.write(m, nil, values...)
	left = m.Left()
	shingles = append(dst, m.Shingles()...)
	sig = m.Signature()
	if left > 0 && sig.Tokens == 0 {
		return a.ShinglesWithout(dst, nil, values...)
	}
	return sig, shingles, left, nil
}

// Hashes appends to dst the hashes of the tokens of one value, as Sign takes them and a
// template.Learner learns from. It does not change value.
func (a *Analyzer) Hashes(dst []uint64, value []byte) []uint64 {
	return a.HashText(dst, a.chain.text(value, nil))
}

// HashText is Hashes for a text that the char filters have made, or a part of it: see Tokens.
func (a *Analyzer) HashText(dst []uint64, text []byte) []uint64 {
	if a.chain.tokenizer == "" {
		return a.params.Hashes(dst, text)
	}
	return a.params.TermHashes(dst, a.tokensOf(text))
}

// Remaining returns the tokens of one value that remain without the shingles of t, and those
// that are left out: runs of tokens that follow one another, in the order of the value. No
// shingle of the signature crosses from one to the next. text is as in Tokens. A nil t leaves
// nothing out.
func (a *Analyzer) Remaining(t *template.Set, value []byte) (text []byte, remain, left [][]token.Token) {
	text, tokens := a.Tokens(value)
	from := 0
	add := func(to *[][]token.Token, from, end int) {
		if from < end {
			*to = append(*to, tokens[from:end:end])
		}
	}
	if t != nil {
		for _, r := range t.Runs(a.params.TermHashes(nil, tokens)) {
			add(&remain, from, r.From)
			add(&left, r.From, r.To)
			from = r.To
		}
	}
	add(&remain, from, len(tokens))
	return text, remain, left
}
