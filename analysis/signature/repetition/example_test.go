package repetition_test

import (
	"fmt"
	"strings"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
)

func Example() {
	text := "Welcome. " + strings.Repeat("Best cheap watches online, buy cheap watches. ", 12)
	figures := repetition.Of([]byte(text))
	fmt.Printf("%d tokens, %.2f of them are one word\n", figures.Tokens, figures.TopToken)
	for _, reason := range repetition.Stuffing().Exceeded(figures) {
		fmt.Println(reason)
	}
	// Output:
	// 85 tokens, 0.28 of them are one word
	// top_2_gram_characters: wanted at most 0.35, got 0.556
	// top_3_gram_characters: wanted at most 0.35, got 0.385
	// duplicate_5_gram_characters: wanted at most 0.55, got 0.704
	// duplicate_10_gram_characters: wanted at most 0.5, got 0.66
}

// A Maker counts while it makes the signature.
func ExampleCounter() {
	maker, err := signature.NewMaker(signature.DefaultParams())
	if err != nil {
		fmt.Println(err)
		return
	}
	counter := repetition.NewCounter()
	maker.Repetition(counter)
	for _, text := range []string{"to be or not to be", "all is well"} {
		maker.Text([]byte(text))
		sig, figures := maker.Signature(), counter.Figures()
		fmt.Printf("%d tokens, top 2-gram %.2f\n", sig.Tokens, figures.Top2)
	}
	// Output:
	// 6 tokens, top 2-gram 0.56
	// 3 tokens, top 2-gram 0.00
}
