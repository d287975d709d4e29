package signature

import "github.com/neardup/bleve-neardup/analysis/signature/token/words"

// Token is a token of a value, with its place: the bytes of the value from Start until
// before End.
type Token struct {
	Term       []byte
	Start, End int
}

// Tokens returns the tokens of a value as Maker.Text takes them, folded.
func Tokens(value []byte) (tokens []Token) {
	var s words.Scanner
	s.Reset(value)
	for word := s.Next(); word != nil; word = s.Next() {
		start, end := s.Place()
		tokens = append(tokens, Token{append([]byte(nil), word...), start, end})
	}
	return tokens
}
