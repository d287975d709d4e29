package outcome

import (
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/resemblance"
	"github.com/neardup/bleve-neardup/collapse/internal/grouping"
	"github.com/neardup/bleve-neardup/internal/stored"
)

// Overlap is what a member and its head have in common, as package collapse explains.
type Overlap struct{ Resemblance, InHead, OfHead resemblance.Estimate }

// OverlapOf returns what a member and its head have in common, in the field that the member tells of:
// exact if their texts were compared, else an estimate, and nil if one of them has no signature.
func OverlapOf(m *grouping.Member, head *stored.Hit) *Overlap {
	if m.Shares != nil {
		o := &Overlap{Resemblance: m.Shares.Resemblance()}
		o.OfHead, o.InHead = m.Shares.Containment()
		return o
	}
	own, other := m.In(m.Field), head.In(m.Field)
	r, ok := signature.Resemblance(own.Signature, other.Signature)
	if !ok {
		return nil
	}
	o := &Overlap{r, r, r}
	if own.Signature.Exact != other.Signature.Exact {
		o.InHead, o.OfHead = r.Containment(own.Signature.Shingles, other.Signature.Shingles)
	}
	return o
}
