// Package repetition tells text that was stuffed with a word or a phrase by how much of it that is.
//
// A [Counter] makes the [Figures] of a document in one pass over the hashes of its tokens, which it can share with a
// signature.Maker. [Limits] names the figures that are too high. By default nothing is limited.
//
// # What is counted
//
// The definitions are those of Rae et al., "Scaling Language Models: Methods, Analysis & Insights from Training
// Gopher", 2021, Table A1, as DataTrove computes them:
//
//   - top token: the number of occurrences of the most frequent token, as a share of the tokens;
//   - top gram of 2 and 3 tokens: the most frequent gram (the first of several), its tokens joined by spaces, times
//     the number of its occurrences, as a share of the text. Occurrences can overlap, so "a a a a" gives more than 1;
//   - duplicate grams of 5 and 10 tokens: from left to right, a gram that has occurred before counts with the sizes of
//     its tokens, and the next one begins after it; after any other gram, the next one begins one token later.
//
// The differences: grams are made of this project's tokens, which are folded and leave out punctuation, where DataTrove
// takes the words of a language's tokenizer, with punctuation and case as written. A letter of a script without spaces
// is a token. Sizes are in bytes of UTF-8; in a text of one script the shares are the same as in characters. A gram
// that occurs once is no top gram. Several values count as one text, but no gram crosses from one to the next.
//
// The figures are exact, unless two different tokens have the same 64-bit hash.
//
// # What the limits find
//
// They find stuffing, not spam. [Stuffing] has limits for mail, messages and manuals. On texts that had no part in
// their choice they touch .05 % at most, and all texts of which one word, or a phrase of two or three, is .6, and nine
// in ten with a phrase of five or ten words at that share. Of spam mails they stop .12 %.
package repetition

import (
	"fmt"

	"github.com/neardup/bleve-neardup/internal/strict"
)

// Shares are the figures that can have a limit. They are 0 or more; only the shares of top
// grams can be greater than 1.
type Shares struct {
	// TopToken is the share of the most frequent token among the tokens.
	TopToken float64 `json:"top_token,omitempty"`

	// These are the shares of the text that the top grams, and the duplicate grams, of that
	// many tokens have.
	Top2        float64 `json:"top_2_gram_characters,omitempty"`
	Top3        float64 `json:"top_3_gram_characters,omitempty"`
	Duplicate5  float64 `json:"duplicate_5_gram_characters,omitempty"`
	Duplicate10 float64 `json:"duplicate_10_gram_characters,omitempty"`
}

// Figures says how much a document repeats itself. Shares of nothing are 0.
type Figures struct {
	Tokens uint64 `json:"tokens"`
	Shares
}

// Limits says which figures are too high. The zero Limits checks nothing, and a limit of 0
// is off.
type Limits struct {
	// MinTokens is the number of tokens from which on the other limits apply to a document.
	// In short texts a phrase that occurs twice is a large share.
	MinTokens uint64 `json:"min_tokens,omitempty"`

	// Shares are the greatest shares allowed, 0 to 1.
	Shares
}

// UnmarshalJSON implements json.Unmarshaler. Unknown members are errors.
func (l *Limits) UnmarshalJSON(data []byte) error {
	type plain Limits
	return strict.Fill("limits", data, (*plain)(l))
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
		{"top_2_gram_characters", s.Top2},
		{"top_3_gram_characters", s.Top3},
		{"duplicate_5_gram_characters", s.Duplicate5},
		{"duplicate_10_gram_characters", s.Duplicate10},
	}
}

// Validate returns an error that names the first limit out of range.
func (l Limits) Validate() error {
	for _, s := range l.all() {
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
	shares := f.all()
	for i, limit := range l.all() {
		if got := shares[i].value; limit.value > 0 && got > limit.value {
			reasons = append(reasons, fmt.Sprintf("%s: wanted at most %v, got %.3g", limit.name, limit.value, got))
		}
	}
	return reasons
}
