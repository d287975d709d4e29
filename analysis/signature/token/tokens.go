package token

import "slices"

// Token is a token of a value, with its place: the bytes of the value from Start until
// before End.
type Token struct {
	Term       []byte
	Start, End int
}

// Split returns the tokens of a value, folded.
func Split(value []byte) (tokens []Token) {
	var s Words
	s.Reset(value)
	for word := s.Next(); word != nil; word = s.Next() {
		start, end := s.Place()
		tokens = append(tokens, Token{slices.Clone(word), start, end})
	}
	return tokens
}
