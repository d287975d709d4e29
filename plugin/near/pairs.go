package near

import (
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// pairs judges pairs of documents, by their texts if these decide.
type pairs struct {
	*view
	judge  verify.Judge
	texts  verify.Cache[int]
	failed map[[2]uint32]struct{} // pairs that are proposed and not confirmed
}

// mostFailed is how many pairs are kept that were not confirmed: 40 MB.
const mostFailed = 1 << 20

// proposes returns the rule by which pairs are looked up. It is the rule for the sketches with the fewest
// lanes, by which pairs of others are proposed as well.
func (p *pairs) proposes() signature.Rule {
	if !p.judge.Verify.On() {
		return p.judge.Rule
	}
	lanes := 0
	for doc := range p.size() {
		if s, ok := p.all.At(doc); ok && s.Lanes > 0 && (lanes == 0 || s.Lanes < lanes) {
			lanes = s.Lanes
		}
	}
	return p.judge.Proposes(lanes)
}

// confirm returns what says whether two documents match that are proposed; nil if all do.
func (p *pairs) confirm() func(i, j int) bool {
	if !p.judge.Verify.On() {
		return nil
	}
	return func(i, j int) bool {
		key := [2]uint32{uint32(min(i, j)), uint32(max(i, j))}
		if _, ok := p.failed[key]; ok {
			return false
		}
		a, _ := p.all.At(i)
		b, _ := p.all.At(j)
		_, ok := p.compare(i, j, &a, &b)
		if !ok {
			if p.failed == nil || len(p.failed) == mostFailed {
				p.failed = map[[2]uint32]struct{}{}
			}
			p.failed[key] = struct{}{}
		}
		return ok
	}
}

// compare judges two documents with the signatures a and b.
func (p *pairs) compare(i, j int, a, b *signature.Signature) (verify.Finding, bool) {
	return p.judge.Pair(a, b, func() *verify.Text { return p.text(i, a) }, func() *verify.Text { return p.text(j, b) })
}

// text returns the text of a document with the signature sig.
func (p *pairs) text(doc int, sig *signature.Signature) *verify.Text {
	return p.texts.Text(doc, func() *verify.Text {
		s, n := p.of(doc)
		return s.texts.Text(uint64(n), sig)
	})
}
