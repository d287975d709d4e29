package repetition

import (
	"fmt"

	"github.com/neardup/bleve-neardup/internal/strict"
)

// Limits says which figures are too high. The zero Limits checks nothing, and a limit of 0
// is off.
type Limits struct {
	// MinTokens is the number of tokens from which on the other limits apply to a document.
	// In short texts a phrase that occurs twice is a large share: of legitimate mails of 10
	// to 19 tokens 46 % exceed a limit of English, of 20 to 29 tokens 18 %, of 30 to 49 10
	// %, of 50 to 199 3 % (go test -v -run LimitsOnMail).
	MinTokens uint64 `json:"min_tokens,omitempty"`

	// MinDistinctShingleRatio is the least Figures.DistinctShingleRatio, 0 to 1.
	MinDistinctShingleRatio float64 `json:"min_distinct_shingle_ratio,omitempty"`

	// Shares are the greatest shares allowed, 0 to 1.
	Shares
}

// UnmarshalJSON implements json.Unmarshaler. Unknown members are errors.
func (l *Limits) UnmarshalJSON(data []byte) error {
	type plain Limits
	return strict.Fill("limits", data, (*plain)(l))
}

// English returns limits for English web text: those of Rae et al. 2021, Table A1, for
// documents of 50 tokens or more, as the paper demands. They hold back 3.9 % of legitimate mails, and
// 1.7 % of spam: use Stuffing where people write.
func English() Limits {
	return Limits{
		MinTokens: 50,
		Shares: Shares{
			DuplicateLines: .30, DuplicateLineCharacters: .20,
			DuplicateParagraphs: .30, DuplicateParagraphCharacters: .20,
			Top2: .20, Top3: .18, Top4: .16,
			Duplicate5: .15, Duplicate6: .14, Duplicate7: .13,
			Duplicate8: .12, Duplicate9: .11, Duplicate10: .10,
		},
	}
}

// Stuffing returns limits for texts of 20 tokens or more that hold back text of which more than half is
// one word or phrase, and hardly any other: at most one in 1,000 mails, messages and manuals that people wrote. They
// do not find spam as such. They are those that a test chooses on such texts:
//
//	NEARDUP_DATA=DIRECTORY go test -v -run StuffingChosen ./analysis/signature/repetition -limits.choose
func Stuffing() Limits {
	return Limits{MinTokens: 20, Shares: Shares{TopToken: .45, Top2: .35, Top3: .35, Duplicate5: .55, Duplicate10: .5}}
}

// named is a share and its name in JSON.
type named struct {
	name  string
	value float64
}

// all returns the shares in the order of the struct.
func (s Shares) all() []named {
	return []named{
		{"top_token", s.TopToken},
		{"duplicate_lines", s.DuplicateLines},
		{"duplicate_line_characters", s.DuplicateLineCharacters},
		{"duplicate_paragraphs", s.DuplicateParagraphs},
		{"duplicate_paragraph_characters", s.DuplicateParagraphCharacters},
		{"top_2_gram_characters", s.Top2},
		{"top_3_gram_characters", s.Top3},
		{"top_4_gram_characters", s.Top4},
		{"duplicate_5_gram_characters", s.Duplicate5},
		{"duplicate_6_gram_characters", s.Duplicate6},
		{"duplicate_7_gram_characters", s.Duplicate7},
		{"duplicate_8_gram_characters", s.Duplicate8},
		{"duplicate_9_gram_characters", s.Duplicate9},
		{"duplicate_10_gram_characters", s.Duplicate10},
	}
}

// Validate returns an error that names the first limit out of range.
func (l Limits) Validate() error {
	for _, s := range append(l.all(), named{"min_distinct_shingle_ratio", l.MinDistinctShingleRatio}) {
		if !(s.value >= 0 && s.value <= 1) {
			return fmt.Errorf("repetition: %s: wanted 0 to 1, got %v", s.name, s.value)
		}
	}
	return nil
}

// Exceeded returns the limits that f exceeds, one text for each, such as
// "top_2_gram_characters: wanted at most 0.2, got 0.53". It returns none if f keeps to all
// limits or has too few tokens.
func (l Limits) Exceeded(f Figures) (reasons []string) {
	if f.Tokens < l.MinTokens {
		return nil
	}
	if f.DistinctShingleRatio < l.MinDistinctShingleRatio {
		reasons = append(reasons, fmt.Sprintf("distinct_shingle_ratio: wanted at least %v, got %.3g",
			l.MinDistinctShingleRatio, f.DistinctShingleRatio))
	}
	if l.Shares == (Shares{}) {
		return reasons
	}
	limits, shares := l.all(), f.all()
	for i, limit := range limits {
		if got := shares[i].value; limit.value > 0 && got > limit.value {
			reasons = append(reasons, fmt.Sprintf("%s: wanted at most %v, got %.3g", limit.name, limit.value, got))
		}
	}
	return reasons
}
