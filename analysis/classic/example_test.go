package classic_test

import (
	"fmt"
	"strings"

	"github.com/neardup/bleve-neardup/analysis/classic"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/token"
)

// Two sets of 300 fingerprints with 270 in common: the resemblance is 270/330 = .82. A
// sketch of 500 would hold both sets completely.
func ExampleBottom() {
	var fingerprints []uint64
	for i := range uint64(330) {
		fingerprints = append(fingerprints, token.Mix(0, i))
	}
	for _, size := range []int{100, 500} {
		p := classic.BottomParams{Size: size}
		a, b := classic.BottomOf(p, fingerprints[:300]), classic.BottomOf(p, fingerprints[30:])
		r, _ := classic.BottomResemblance(&a, &b)
		fmt.Println(len(a.Values), "elements:", r)
	}
	// Output:
	// 100 elements: 0.80 ± 0.03
	// 300 elements: 0.82 ± 0.00
}

// Two sets of 300 fingerprints with 270 in common: the resemblance is 270/330 = .82.
func ExampleMinwiseOf() {
	var fingerprints []uint64
	for i := range uint64(330) {
		fingerprints = append(fingerprints, token.Mix(0, i))
	}
	p := classic.MinwiseParams{Lanes: 100}
	a, b := classic.MinwiseOf(p, fingerprints[:300]), classic.MinwiseOf(p, fingerprints[30:])

	r, _ := classic.MinwiseResemblance(&a, &b)
	fmt.Println("resemblance", r)
	// Output:
	// resemblance 0.82 ± 0.04
}

// A book of 50,000 fingerprints and an excerpt of 2,000 of them, with an
// introduction of 500.
func ExampleModm() {
	var fingerprints []uint64
	for i := range uint64(50_500) {
		fingerprints = append(fingerprints, token.Mix(0, i))
	}
	p := classic.ModmParams{Modulus: 25}
	book, excerpt := classic.ModmOf(p, fingerprints[:50_000]), classic.ModmOf(p, fingerprints[48_000:])
	fmt.Println(len(book.Values), "and", len(excerpt.Values), "elements")

	r, _ := classic.ModmResemblance(&book, &excerpt)
	c, _ := classic.ModmContainment(&excerpt, &book)
	fmt.Println("resemblance", r)
	fmt.Println("of the excerpt, the book has", c)
	// Output:
	// 1944 and 99 elements
	// resemblance 0.040 ± 0.004
	// of the excerpt, the book has 0.79 ± 0.04
}

// Documents of all sizes, each with a sketch of 100 to 200 elements.
func ExampleModmModulus() {
	for _, shingles := range []uint64{150, 5_000, 1_000_000} {
		fmt.Println(shingles, "shingles: mod", classic.ModmModulus(shingles, 200))
	}
	// Output:
	// 150 shingles: mod 1
	// 5000 shingles: mod 32
	// 1000000 shingles: mod 8192
}

// The signatures of a text, of the same text with one more word at the end, and of half of
// it.
func ExampleSupershingles() {
	var words []string
	for i := range 400 {
		words = append(words, fmt.Sprint("word", i*i))
	}
	text := strings.Join(words, " ")
	plan := classic.DefaultPlan()
	of := func(text string) classic.Supershingles {
		sig := signature.Of(signature.DefaultParams(), []byte(text))
		return classic.SupershinglesOf(plan, sig.Sketch, sig.Params)
	}
	a, b, half := of(text), of(text+" end"), of(text[:len(text)/2])
	fmt.Println(classic.SupershinglesAgree(&a, &b), "of 6 agree:", plan.Duplicates(&a, &b))
	fmt.Println(classic.SupershinglesAgree(&a, &half), "of 6 agree:", plan.Duplicates(&a, &half))
	// Output:
	// 6 of 6 agree: true
	// 0 of 6 agree: false
}

func ExamplePlan_Probability() {
	plan := classic.DefaultPlan()
	for _, r := range []float64{.8, .9, .95, .98} {
		fmt.Printf("%.2f %.3f\n", r, plan.Probability(r))
	}
	// Output:
	// 0.80 0.026
	// 0.90 0.415
	// 0.95 0.879
	// 0.98 0.996
}
