package supershingle_test

import (
	"fmt"
	"strings"

	"github.com/neardup/bleve-neardup/analysis/classic/supershingle"
	"github.com/neardup/bleve-neardup/analysis/signature"
)

// The signatures of a text, of the same text with one more word at the end, and of half of
// it.
func Example() {
	var words []string
	for i := range 400 {
		words = append(words, fmt.Sprint("word", i*i))
	}
	text := strings.Join(words, " ")
	plan := supershingle.DefaultPlan()
	of := func(text string) supershingle.Sketch {
		sig := signature.Of(signature.DefaultParams(), []byte(text))
		return supershingle.Of(plan, sig.Sketch, sig.Params)
	}
	a, b, half := of(text), of(text+" end"), of(text[:len(text)/2])
	fmt.Println(supershingle.Agree(&a, &b), "of 6 agree:", plan.Duplicates(&a, &b))
	fmt.Println(supershingle.Agree(&a, &half), "of 6 agree:", plan.Duplicates(&a, &half))
	// Output:
	// 6 of 6 agree: true
	// 0 of 6 agree: false
}

func ExamplePlan_Probability() {
	plan := supershingle.DefaultPlan()
	for _, r := range []float64{.8, .9, .95, .98} {
		fmt.Printf("%.2f %.3f\n", r, plan.Probability(r))
	}
	// Output:
	// 0.80 0.026
	// 0.90 0.415
	// 0.95 0.879
	// 0.98 0.996
}
