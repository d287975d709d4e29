package outcome

import (
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/resemblance"
	"github.com/neardup/bleve-neardup/collapse/internal/grouping"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Overlap is what a member and its head have in common, as package collapse explains.
type Overlap struct{ Resemblance, InHead, OfHead resemblance.Estimate }

// OverlapOf returns what a member and its head have in common:
// exact if their texts were compared, else an estimate, and false if one of them has no signature.
func OverlapOf(m *grouping.Member, head *stored.Hit) (o Overlap, ok bool) {
	if m.Shares != nil {
		o.Resemblance = m.Shares.Resemblance()
		o.OfHead, o.InHead = m.Shares.Containment()
		return o, true
	}
	own, other := m.Signature, head.Signature
	r, ok := signature.Resemblance(own, other)
	if !ok {
		return o, false
	}
	o = Overlap{r, r, r}
	if own.Exact != other.Exact {
		o.InHead, o.OfHead = r.Containment(own.Shingles, other.Shingles)
	}
	return o, true
}
