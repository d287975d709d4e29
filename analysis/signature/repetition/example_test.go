package repetition_test

import (
	"fmt"
	"strings"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/repetition"
)

func Example() {
	text := "Welcome. " + strings.Repeat("Best cheap watches online, buy cheap watches. ", 12)
	counts := repetition.Of(4, []byte(text))
	figures := counts.Figures()
	fmt.Printf("%d tokens, %.2f of shingles distinct\n", figures.Tokens, figures.DistinctShingleRatio)
	for _, reason := range repetition.English().Exceeded(figures)[:2] {
		fmt.Println(reason)
	}
	again, err := repetition.Parse(counts.Stored())
	fmt.Println(again == counts, err)
	// Output:
	// 85 tokens, 0.10 of shingles distinct
	// top_2_gram_characters: wanted at most 0.2, got 0.556
	// top_3_gram_characters: wanted at most 0.18, got 0.385
	// true <nil>
}

// A Maker counts while it makes the signature.
func ExampleCounter() {
	params := signature.DefaultParams()
	maker, err := signature.NewMaker(params)
	if err != nil {
		fmt.Println(err)
		return
	}
	counter := repetition.NewCounter(params.Width)
	maker.Repetition(counter)
	for _, text := range []string{"to be or not to be", "all is well"} {
		maker.Text([]byte(text))
		sig, figures := maker.Signature(), counter.Counts().Figures()
		fmt.Printf("%d tokens, top 2-gram %.2f\n", sig.Tokens, figures.Top2)
	}
	// Output:
	// 6 tokens, top 2-gram 0.56
	// 3 tokens, top 2-gram 0.00
}
