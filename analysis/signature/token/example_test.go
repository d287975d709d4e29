package token_test

import (
	"fmt"

	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

func ExampleWords() {
	var w token.Words
	w.Reset([]byte("A rose is a ROSE; isn’t it? 日本"))
	for word := w.Next(); word != nil; word = w.Next() {
		fmt.Print(string(word), "|")
	}
	// Output: a|rose|is|a|rose|isn't|it|日|本|
}
