// Package repetition tells how much of a document repeats itself, which stuffing
// with keywords and machine-made text show.
//
// A [Counter] makes the [Counts] of a document in one pass over the hashes of its
// tokens, shared with a signature.Maker; their [Figures] are shares, and [Limits] on
// these name those exceeded. [English] has the limits of Rae et al., "Scaling
// Language Models: Methods, Analysis & Insights from Training Gopher", 2021, Table
// A1; nothing is limited otherwise.
//
// # What is counted
//
// The definitions are those of that table as DataTrove computes them:
//
//   - duplicate lines and paragraphs: those equal to one before, as a share of the
//     lines and of the text; lines are parted by one line feed or more, paragraphs by
//     two or more;
//   - top gram of 2, 3, 4 tokens: the most frequent one (the first of several), its
//     tokens joined by spaces, times how often it occurs. Occurrences may overlap, so
//     that "a a a a" gives more than 1;
//   - duplicate grams of 5 to 10 tokens: from left to right, a gram that was met
//     before counts with the sizes of its tokens, and the next begins behind it;
//     behind one that was not, the next begins one token later.
//
// What differs: grams are of this project's tokens, which are folded and leave out
// punctuation, where DataTrove's are words of a language's tokenizer, with
// punctuation and case as written; a letter of a script without spaces is a token.
// Sizes are in bytes of UTF-8: in a text of one script the shares are those in
// characters. An empty line before or behind the text is no line, a carriage return
// before a line feed belongs to it, and spaces at both ends of the text to its
// paragraphs. A gram that occurs once is no top gram. Several values count as one
// text, but no gram, line or paragraph crosses from one to the next.
//
// # What the limits find
//
// Stuffing, not spam (go test -v -run LimitsOn; DESIGN.md has the tables). A phrase of
// three words put into manuals until it is .3 of the words exceeds a limit of English
// in 98 % of them, at .2 in 32 %, where 4 % exceed one as they are. Of spam mails 1.7 %
// exceed one, of legitimate ones 3.9 %.
package repetition

// Counts is what was counted in one document. They are exact, unless two different
// tokens or lines have one 64-bit hash.
type Counts struct {
	// Width is the number of tokens in a shingle.
	Width int `json:"width"`

	// Bytes is the size of the text, Tokens the number of tokens, TokenBytes their
	// size, TopToken how often the most frequent one occurs.
	Bytes      uint64 `json:"bytes"`
	Tokens     uint64 `json:"tokens"`
	TokenBytes uint64 `json:"token_bytes"`
	TopToken   uint64 `json:"top_token"`

	// Shingles is the number of shingles, each as often as it occurs,
	// DistinctShingles that of different ones.
	Shingles         uint64 `json:"shingles"`
	DistinctShingles uint64 `json:"distinct_shingles"`

	// A duplicate is equal to one before. Bytes are those of the duplicates.
	Lines                   uint64 `json:"lines"`
	DuplicateLines          uint64 `json:"duplicate_lines"`
	DuplicateLineBytes      uint64 `json:"duplicate_line_bytes"`
	Paragraphs              uint64 `json:"paragraphs"`
	DuplicateParagraphs     uint64 `json:"duplicate_paragraphs"`
	DuplicateParagraphBytes uint64 `json:"duplicate_paragraph_bytes"`

	// TopGrams are the bytes of the most frequent gram of 2, 3 and 4 tokens,
	// DuplicateGrams those of duplicate grams of 5 to 10.
	TopGrams       [3]uint64 `json:"top_gram_bytes"`
	DuplicateGrams [6]uint64 `json:"duplicate_gram_bytes"`
}

// Shares are those that a limit can be set on, from 0; only those of top grams can
// be greater than 1.
type Shares struct {
	// TopToken is how much of the tokens the most frequent one is.
	TopToken float64 `json:"top_token,omitempty"`

	// These are how much of the lines, of the paragraphs, and of the text the
	// duplicates are.
	DuplicateLines               float64 `json:"duplicate_lines,omitempty"`
	DuplicateLineCharacters      float64 `json:"duplicate_line_characters,omitempty"`
	DuplicateParagraphs          float64 `json:"duplicate_paragraphs,omitempty"`
	DuplicateParagraphCharacters float64 `json:"duplicate_paragraph_characters,omitempty"`

	// These are how much of the text the top grams of so many tokens are, and the
	// duplicate ones.
	Top2        float64 `json:"top_2_gram_characters,omitempty"`
	Top3        float64 `json:"top_3_gram_characters,omitempty"`
	Top4        float64 `json:"top_4_gram_characters,omitempty"`
	Duplicate5  float64 `json:"duplicate_5_gram_characters,omitempty"`
	Duplicate6  float64 `json:"duplicate_6_gram_characters,omitempty"`
	Duplicate7  float64 `json:"duplicate_7_gram_characters,omitempty"`
	Duplicate8  float64 `json:"duplicate_8_gram_characters,omitempty"`
	Duplicate9  float64 `json:"duplicate_9_gram_characters,omitempty"`
	Duplicate10 float64 `json:"duplicate_10_gram_characters,omitempty"`
}

// Figures is what the counts of a document say of its repetition.
type Figures struct {
	// Tokens is the number of tokens, MeanTokenLength their mean size in bytes.
	Tokens          uint64  `json:"tokens"`
	MeanTokenLength float64 `json:"mean_token_length"`

	// DistinctShingleRatio is how much of the shingles is different, 0 to 1; 1 if
	// there are none.
	DistinctShingleRatio float64 `json:"distinct_shingle_ratio"`

	Shares
}

// Figures returns what c says. Shares of nothing are 0.
func (c Counts) Figures() Figures {
	distinct := 1.
	if c.Shingles > 0 {
		distinct = share(c.DistinctShingles, c.Shingles)
	}
	return Figures{
		Tokens:               c.Tokens,
		MeanTokenLength:      share(c.TokenBytes, c.Tokens),
		DistinctShingleRatio: distinct,
		Shares: Shares{
			TopToken:                     share(c.TopToken, c.Tokens),
			DuplicateLines:               share(c.DuplicateLines, c.Lines),
			DuplicateLineCharacters:      share(c.DuplicateLineBytes, c.Bytes),
			DuplicateParagraphs:          share(c.DuplicateParagraphs, c.Paragraphs),
			DuplicateParagraphCharacters: share(c.DuplicateParagraphBytes, c.Bytes),
			Top2:                         share(c.TopGrams[0], c.Bytes),
			Top3:                         share(c.TopGrams[1], c.Bytes),
			Top4:                         share(c.TopGrams[2], c.Bytes),
			Duplicate5:                   share(c.DuplicateGrams[0], c.Bytes),
			Duplicate6:                   share(c.DuplicateGrams[1], c.Bytes),
			Duplicate7:                   share(c.DuplicateGrams[2], c.Bytes),
			Duplicate8:                   share(c.DuplicateGrams[3], c.Bytes),
			Duplicate9:                   share(c.DuplicateGrams[4], c.Bytes),
			Duplicate10:                  share(c.DuplicateGrams[5], c.Bytes),
		},
	}
}

func share(part, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
