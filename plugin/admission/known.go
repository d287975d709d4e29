package admission

import (
	"cmp"
	"fmt"
	"math"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
)

// KnownRule says which documents are like a text that is marked as spam, besides near-duplicates
// by Policy.Rule. A spammer changes each copy, and adds text to it, so its tests are looser than
// a Rule. They are for marks: between two documents that nobody has marked, they would take
// every answer for a copy of the mail that it quotes.
//
// The zero KnownRule is the one that examples/docs/suppress.md recommends. With shingles of 4 words
// it stops at least .98 of each attack there, and matches none of 16,537 legitimate mails by any
// of 17,095 spam mails.
//
// Texts that are marked as wanted match by Policy.Rule alone. Otherwise a spammer would put a
// wanted text into spam.
type KnownRule struct {
	// Lanes is the least number of lanes that must agree. 0 means a quarter of them, rounded up:
	// 25 of 100. -1 switches the test off. Both texts need 10
	// shingles: two short ones have a quarter in common soon.
	Lanes int `json:"lanes,omitempty"`

	// Contains is the least share of the mark's shingles that the document has: spam with other
	// text around it. 0 means .7, and -1 switches the test off. The share is estimated from the
	// two signatures (signature.Signature.Containment), which takes LeastAgree lanes that agree.
	Contains float64 `json:"contains,omitempty"`

	// Contained is the least share of the document's shingles that the mark has: excerpts of
	// spam. 0 switches the test off: of 16,537 legitimate mails .7 matches one.
	Contained float64 `json:"contained,omitempty"`

	// MinShingles is the least number of shingles of what is contained, 50 if 0.
	MinShingles int `json:"min_shingles,omitempty"`
}

// LeastAgree is the number of lanes that must agree in any test of a KnownRule: so many agree by chance in one of a
// hundred million pairs of 100 lanes.
const LeastAgree = 8

// Likeness says how a document is like a mark.
type Likeness struct {
	Test  string          // the first test that they passed, as Verdict.Test
	Match signature.Match // lanes and simhash

	// Share is the estimated share of shingles by which "contains" or "contained" was
	// passed, in thousandths, 0 for other tests.
	Share float64
}

// Like reports whether a document is like a mark: a near-duplicate by rule, or, if the mark is
// spam, by k. It returns the first test that they passed.
func (k KnownRule) Like(rule signature.Rule, label Label, mark, document *signature.Signature) (l Likeness, ok bool) {
	if l.Match, ok = rule.Match(mark, document); ok {
		l.Test = "near"
		return l, true
	}
	if label != Spam || mark == nil || document == nil || mark.Params != document.Params || mark.Lanes == 0 ||
		mark.Lanes != document.Lanes || l.Match.Agree < LeastAgree || !rule.Long(mark) || !rule.Long(document) {
		return l, false
	}
	least := max(cmp.Or(k.Lanes, (mark.Lanes+3)/4), LeastAgree)
	if k.Lanes >= 0 && l.Match.Agree >= least && min(mark.Shingles, document.Shingles) >= 10 {
		l.Test = "lanes"
		return l, true
	}
	contains, contained, _ := mark.Containment(document)
	few := uint64(cmp.Or(k.MinShingles, 50))
	if least := cmp.Or(k.Contains, .7); least > 0 && mark.Shingles >= few && contains.Value >= least {
		l.Test, l.Share = "contains", thousandths(contains.Value)
		return l, true
	}
	if k.Contained > 0 && document.Shingles >= few && contained.Value >= k.Contained {
		l.Test, l.Share = "contained", thousandths(contained.Value)
		return l, true
	}
	return l, false
}

func thousandths(share float64) float64 { return math.Round(1000*share) / 1000 }

// Validate returns an error that names the first member out of range.
func (k KnownRule) Validate() error {
	switch {
	case k.Lanes < -1 || k.Lanes > sketch.MaxLanes:
		return fmt.Errorf("known_rule: lanes: wanted -1 to %d, got %d", sketch.MaxLanes, k.Lanes)
	case k.Contains != -1 && !(k.Contains >= 0 && k.Contains <= 1):
		return fmt.Errorf("known_rule: contains: wanted -1 or 0 to 1, got %v", k.Contains)
	case !(k.Contained >= 0 && k.Contained <= 1):
		return fmt.Errorf("known_rule: contained: wanted 0 to 1, got %v", k.Contained)
	case k.MinShingles < 0:
		return fmt.Errorf("known_rule: min_shingles: wanted 0 or more, got %d", k.MinShingles)
	}
	return nil
}
