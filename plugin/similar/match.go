package similar

import (
	"fmt"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/internal/verify"
)

// match is a document that was found.
type match struct {
	doc      uint64
	verified bool // the texts were compared
	shared   int  // shingles, if verified
	of       int  // shingles of both texts, or else lanes
	signature.Match
}

func matchOf(sig *signature.Signature, doc uint64, found verify.Finding) match {
	if found.Verified {
		return match{doc, true, found.Shared, found.Union(), found.Match}
	}
	return match{doc: doc, of: sig.Lanes, Match: found.Match}
}

// Number implements lookup.Match.
func (m match) Number() uint64 { return m.doc }

// Score implements lookup.Match: it is the resemblance.
func (m match) Score() float64 {
	switch {
	case m.verified:
		return float64(m.shared) / float64(m.of)
	case m.By&signature.ByExact != 0:
		return 1
	}
	return float64(m.Agree) / float64(m.of)
}

// Explain implements lookup.Match.
func (m match) Explain() string {
	if m.verified {
		return fmt.Sprintf("resemblance, exact, the texts share %d of %d shingles; proposed by %s", m.shared, m.of, m.By)
	}
	return fmt.Sprintf("resemblance, %d of %d lanes agree, Hamming %d; met the rule by %s", m.Agree, m.of, m.Hamming, m.By)
}
