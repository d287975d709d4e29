// Package repetition measures how much of a document repeats itself. Text stuffed with
// keywords and machine-made text show in these figures.
//
// A [Counter] makes the [Counts] of a document in one pass over the hashes of its tokens,
// which it can share with a signature.Maker. The [Figures] of Counts are shares, and
// [Limits] names the figures that are too high. [English] has the limits of Rae et al.,
// "Scaling Language Models: Methods, Analysis & Insights from Training Gopher", 2021, Table
// A1. By default nothing is limited.
//
// # What is counted
//
// The definitions are those of that table, as DataTrove computes them:
//
//   - duplicate lines and paragraphs: lines and paragraphs equal to an earlier one, as a
//     share of their number and of the text. One line feed or more separates lines, two or
//     more separate paragraphs;
//   - top gram of 2, 3, 4 tokens: the most frequent gram (the first of several), its tokens
//     joined by spaces, times the number of its occurrences. Occurrences can overlap, so
//     "a a a a" gives more than 1;
//   - duplicate grams of 5 to 10 tokens: from left to right, a gram that has occurred
//     before counts with the sizes of its tokens, and the next one begins after it; after
//     any other gram, the next one begins one token later.
//
// The differences: grams are made of this project's tokens, which are folded and leave out
// punctuation, where DataTrove takes the words of a language's tokenizer, with punctuation
// and case as written. A letter of a script without spaces is a token. Sizes are in bytes
// of UTF-8; in a text of one script the shares are the same as in characters. An empty line
// before or after the text is no line, a carriage return before a line feed belongs to it,
// and spaces at both ends of the text belong to its paragraphs. A gram that occurs once is
// no top gram. Several values count as one text, but no gram, line or paragraph crosses
// from one to the next.
//
// # What the limits find
//
// They find stuffing, not spam (go test -v -run LimitsOn; MEASURED.md has the tables). When a
// phrase of three words is put into manuals until it is .3 of the words, 98 % of the
// manuals exceed a limit of English; at .2 it is 32 %, and 4 % of the unchanged manuals. Of
// spam mails 1.7 % exceed one, of legitimate mails 3.9 %.
//
// [Stuffing] has limits for mail, messages and manuals. On texts that had no part in their choice they touch
// .05 % at most, and all texts of which one word, or a phrase of two or three, is .6, and nine in ten with a phrase of five or
// ten words at that share. Of spam mails they stop .12 %.
package repetition

// Counts is what was counted in one document. The counts are exact, unless two different
// tokens or lines have the same 64-bit hash.
type Counts struct {
	// Width is the number of tokens in a shingle.
	Width int `json:"width"`

	// Bytes is the size of the text, Tokens the number of tokens, TokenBytes their size,
	// and TopToken the number of occurrences of the most frequent token.
	Bytes      uint64 `json:"bytes"`
	Tokens     uint64 `json:"tokens"`
	TokenBytes uint64 `json:"token_bytes"`
	TopToken   uint64 `json:"top_token"`

	// Shingles is the number of shingles, with repetitions, and DistinctShingles the number
	// of different ones.
	Shingles         uint64 `json:"shingles"`
	DistinctShingles uint64 `json:"distinct_shingles"`

	// A duplicate is equal to an earlier line or paragraph. Bytes are the sizes of the
	// duplicates.
	Lines                   uint64 `json:"lines"`
	DuplicateLines          uint64 `json:"duplicate_lines"`
	DuplicateLineBytes      uint64 `json:"duplicate_line_bytes"`
	Paragraphs              uint64 `json:"paragraphs"`
	DuplicateParagraphs     uint64 `json:"duplicate_paragraphs"`
	DuplicateParagraphBytes uint64 `json:"duplicate_paragraph_bytes"`

	// TopGrams are the sizes in bytes of the most frequent gram of 2, 3 and 4 tokens, and
	// DuplicateGrams the sizes of duplicate grams of 5 to 10 tokens.
	TopGrams       [3]uint64 `json:"top_gram_bytes"`
	DuplicateGrams [6]uint64 `json:"duplicate_gram_bytes"`
}

// Shares are the figures that can have a limit. They are 0 or more; only the shares of top
// grams can be greater than 1.
type Shares struct {
	// TopToken is the share of the most frequent token among the tokens.
	TopToken float64 `json:"top_token,omitempty"`

	// These are the shares of the duplicates among the lines, among the paragraphs, and in
	// the text.
	DuplicateLines               float64 `json:"duplicate_lines,omitempty"`
	DuplicateLineCharacters      float64 `json:"duplicate_line_characters,omitempty"`
	DuplicateParagraphs          float64 `json:"duplicate_paragraphs,omitempty"`
	DuplicateParagraphCharacters float64 `json:"duplicate_paragraph_characters,omitempty"`

	// These are the shares of the text that the top grams, and the duplicate grams, of that
	// many tokens have.
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

// Figures says how much a document repeats itself, as shares made from its Counts.
type Figures struct {
	// Tokens is the number of tokens, MeanTokenLength their mean size in bytes.
	Tokens          uint64  `json:"tokens"`
	MeanTokenLength float64 `json:"mean_token_length"`

	// DistinctShingleRatio is the share of shingles that are different, 0 to 1; 1 if there
	// are no shingles.
	DistinctShingleRatio float64 `json:"distinct_shingle_ratio"`

	Shares
}

// Figures returns the figures of c. Shares of nothing are 0.
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
