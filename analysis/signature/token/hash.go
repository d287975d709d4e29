// Package token splits text into tokens and hashes them. This is the first step of a
// signature, and the one that touches every byte. A [Scanner] returns the hashes of a
// text's tokens, [Words] their text, and a [Key] hashes tokens that another tokenizer found.
//
// # Tokens
//
// A token is a word in the sense of Unicode Standard Annex #29, with these choices, which
// are part of the signature format:
//
//   - letters, decimal and other numbers and connector punctuation ("_") form words; one of
//     ' . : between two letters, or one of ' . , ; between two digits, does not end a word
//     (WB6, WB7, WB11, WB12), nor does " between two Hebrew letters (WB7b): "don't" and
//     "3.14" are one token each; connectors alone, such as a line of "_", are no word;
//   - in scripts written without spaces every letter is a token of its own: Han, Hiragana,
//     Katakana, Thai, Lao, Khmer, Myanmar and others; Hangul is split into words;
//   - a combining mark belongs to the token before it, and to nothing if there is none;
//   - invisible format characters (category Cf: soft hyphen, zero-width spaces and joiners,
//     direction marks) are dropped, so that they cannot split a word;
//   - letters are folded to the lower case of their upper case ("K" the kelvin sign is "k",
//     "ς" is "σ", dotless "ı" and dotted "İ" are "i"): this is simple folding, so "ß" is
//     not "ss"; curly and full-width apostrophes inside a word become "'";
//   - tokens are read in Unicode normal form NFKC: "é" as one rune is "e" with a combining
//     mark, and full-width, half-width and other compatibility forms of letters and digits
//     are the plain ones. Symbols are separators in any form: "™" is not "tm";
//   - everything else separates: spaces, other punctuation, symbols, emoji, and bytes that
//     are not UTF-8.
//
// The tests compare this with an implementation of UAX #29 and list each difference.
//
// The hash of a token depends only on its folded UTF-8 bytes and the seed, so a token from
// a bleve tokenizer has the same hash as one found here.
//
// # Two paths
//
// ASCII text is classified 64 bytes at a time into bit masks, and words are hashed from
// their first and last 8 bytes, in lower case. No rune is decoded, and hardly a branch
// depends on the text. Around a byte above 0x7f, from the ASCII space before it to an ASCII
// space after it, a second path works rune by rune. Both paths give the same tokens; a
// fuzzer compares them with each other and with a plain transcription of the rules above.
package token

import (
	"encoding/binary"
	"math/bits"
)

// Key holds the constants derived from a seed, which is secret or the default. Signatures
// can be compared only if they were made with the same seed.
type Key struct {
	k0, k1 uint64
}

// NewKey derives a Key from seed.
func NewKey(seed uint64) Key {
	return Key{k0: Mix(seed, 1), k1: Mix(seed, 2)}
}

// Mix returns the i-th pseudo-random constant of a seed: the output function of
// splitmix64 (Steele, Lea, Flood, OOPSLA 2014) at position i.
func Mix(seed uint64, i uint64) uint64 {
	z := seed + i*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Fold is the multiply-fold, on which all fingerprints here are built: the two halves of
// the 128-bit product, xored.
func Fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// FORMAT.md, section 5, has the hash of a token: 16 bytes at a time, each half of a chunk shifted so that its last byte
// is the top one. Most words have at most 8 bytes, and cost one load and one multiplication, where xxHash64 takes
// longer for each word than a whole signature does with this hash (examples/docs/measured.md).

// Hash returns the hash of one token, given its folded bytes.
func (k Key) Hash(term []byte) uint64 {
	h, rest := k.k0, term
	for len(rest) > 16 {
		h = Fold(h^binary.LittleEndian.Uint64(rest), k.k1^binary.LittleEndian.Uint64(rest[8:]))
		rest = rest[16:]
	}
	a, b := lastChunk(term)
	return Fold(h^a, k.k1^b^uint64(len(term)))
}

// lastChunk returns the two halves of the last chunk of a word.
func lastChunk(word []byte) (a, b uint64) {
	if len(word) < 8 {
		return load8(word), 0
	}
	n := (len(word)-1)&15 + 1
	last, keep := binary.LittleEndian.Uint64(word[len(word)-8:]), &selects[n]
	a, b = last&keep.head, last&keep.tail
	if n > 8 {
		a = binary.LittleEndian.Uint64(word[len(word)-n:])
	}
	return a, b
}

// short is the greatest length of a word that is one chunk. A Scanner hashes such words
// from their folded bytes, and so keeps as many folded bytes of the run before.
const short = 16

// selects says, by the size of a word's last chunk, which of the last 8 bytes of the word
// belong to the first half of the chunk and which to the second.
var selects = func() (all [short + 1]struct{ head, tail uint64 }) {
	for n := range all {
		all[n].head = ^uint64(0) << (64 - 8*min(n, 8))
		all[n].tail = ^uint64(0) << (64 - 8*max(n-8, 0))
	}
	return all
}()

// load8 returns up to 8 bytes as a number whose top byte is the last of these bytes.
func load8(p []byte) (x uint64) {
	for i, c := range p {
		x |= uint64(c) << (64 - 8*(len(p)-i))
	}
	return x
}

// hashASCII returns the Hash of a word that is not folded yet.
func (k Key) hashASCII(word []byte) uint64 {
	h, rest := k.k0, word
	for len(rest) > 16 {
		a := lower(binary.LittleEndian.Uint64(rest))
		b := lower(binary.LittleEndian.Uint64(rest[8:]))
		h = Fold(h^a, k.k1^b)
		rest = rest[16:]
	}
	a, b := lastChunk(word)
	return Fold(h^lower(a), k.k1^lower(b)^uint64(len(word)))
}

const (
	ones = 0x0101010101010101 // in each byte
	tops = 0x80 * ones
)

// lower folds the letters in 8 ASCII bytes.
func lower(x uint64) uint64 {
	upper := (x + (0x80-'A')*ones) ^ (x + (0x80-'Z'-1)*ones)
	return x | upper&tops>>2
}
