package signature_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

const press = `The committee met on Tuesday and agreed to publish the results of its survey by the end of the month.
Members of the public who answered the questions will be told where to find them. The chairman thanked everybody
who had taken part, and said that a second survey, with fewer questions, would follow in the spring of next year.
Asked about its cost, he answered that both together would stay within the sum that the council set aside.`

const reprint = `THE COMMITTEE met on Tuesday, and agreed to publish the results of its survey by the end of the month.

Members of the public who answered the questions will be told where to find them. The chairman thanked everybody
who had taken part and said that a second survey -- with fewer questions -- would follow in the spring of next year.

Asked about its cost, he answered that both together would stay within the sum that the council set aside. (Reuters)`

// Two texts that differ in layout, and in one word at the end.
func Example() {
	params := signature.DefaultParams()
	a := signature.Of(params, []byte(press))
	b := signature.Of(params, []byte(reprint))

	match, ok := signature.Rule{}.Match(&a, &b)
	fmt.Println(ok, match.By)
	fmt.Println(a.Tokens, "and", b.Tokens, "tokens;", match.Agree, "of 100 lanes agree;", match.Hamming, "bits differ")

	r, _ := a.Resemblance(&b)
	_, bInA, _ := a.Containment(&b)
	fmt.Println("resemblance", r)
	fmt.Println("of the second, the first has", bInA)
	// Output:
	// true sketch
	// 79 and 80 tokens; 99 of 100 lanes agree; 4 bits differ
	// resemblance 0.99 ± 0.01
	// of the second, the first has 0.988 ± 0.004
}

// A text that occurs twice in a document has no more shingles than one that occurs once,
// but twice as many with multiplicity.
func ExampleParams() {
	for _, bag := range []bool{false, true} {
		params := signature.DefaultParams()
		params.Bag = bag
		once := signature.Of(params, []byte(press))
		twice := signature.Of(params, []byte(press), []byte(press))
		r, _ := once.Resemblance(&twice)
		fmt.Printf("bag %v: %d and %d shingles, resemblance %.1f\n", bag, once.Shingles, twice.Shingles, r.Value)
	}
	// Output:
	// bag false: 76 and 76 shingles, resemblance 1.0
	// bag true: 76 and 152 shingles, resemblance 0.5
}

// Two bills that differ in a sum are near-duplicates, unless numbers must be equal.
func ExampleNumbers() {
	bill := "Please pay the sum of EUR %s for the delivery of paper within a month. If you have paid already, take this bill as a receipt, " +
		"and keep it for complaints, which can be made in writing, by telephone, or at the desk in the hall of our house in town."
	for _, numbers := range []signature.Numbers{signature.NumbersAny, signature.NumbersEqual} {
		params := signature.DefaultParams()
		params.Numbers = numbers
		a := signature.Of(params, fmt.Appendf(nil, bill, "120.50"))
		b := signature.Of(params, fmt.Appendf(nil, bill, "119.00"))
		c := signature.Of(params, []byte(strings.ToUpper(fmt.Sprintf(bill, "120.50"))))
		rule := signature.Rule{Lanes: 80}
		fmt.Println(numbers, rule.Duplicates(&a, &b), rule.Duplicates(&a, &c))
	}
	// Output:
	// any true true
	// equal false true
}

// Weights of an application's own, here of single words: a word counts as often as it occurs, and
// those that are in nearly all texts do not count.
func ExampleRegisterWeight() {
	common := map[string]bool{"the": true, "and": true, "of": true, "to": true, "that": true}
	err := signature.RegisterWeight("rare words", func(feature []byte, n int) uint32 {
		if common[string(feature)] {
			return 0
		}
		return uint32(n)
	})
	if err != nil {
		panic(err)
	}
	params := signature.DefaultParams()
	params.SimhashWidth, params.SimhashWeight = 1, "rare words"
	a := signature.Of(params, []byte("the cause of the fire and the course of the flood"))
	b := signature.Of(params, []byte("that cause and fire to course to flood"))
	fmt.Println(a.Simhash == b.Simhash)
	fmt.Println(signature.RegisterWeight("rare words", func([]byte, int) uint32 { return 1 }))
	// Output:
	// true
	// signature: simhash_weight: wanted a name that is not registered yet, got "rare words"
}

// A rule is given as JSON; members that are left out have their defaults.
func ExampleRule() {
	var rule signature.Rule
	err := json.Unmarshal([]byte(`{"lanes": 85, "mode": "sketch_only"}`), &rule)
	fmt.Printf("%+v %v\n", rule, err)
	err = json.Unmarshal([]byte(`{"hamming": 65}`), &rule)
	fmt.Println(err)
	// Output:
	// {Lanes:85 LongLanes:0 Hamming:0 Mode:sketch_only MinWords:0} <nil>
	// rule: hamming: wanted -1 to 64, got 65
}

// A signature is stored as text, and read again.
func ExampleSignature_MarshalText() {
	stored := signature.Of(signature.DefaultParams(), []byte("one two three"))
	text, _ := stored.MarshalText()
	fmt.Println(string(text))

	var read signature.Signature
	err := read.UnmarshalText(text)
	fmt.Println(read.Tokens, "tokens,", read.Exact == stored.Exact, err)
	// Output:
	// A3YOhR1T+XthgR4JCpIAAAAAAAAAAAMAAEDtLsQ
	// 3 tokens, true <nil>
}

// The tokens of another tokenizer, value by value.
func ExampleMaker() {
	m, err := signature.NewMaker(signature.DefaultParams())
	if err != nil {
		panic(err)
	}
	for _, value := range [][]string{{"near", "duplicate", "detection"}, {"for", "bleve"}} {
		for _, term := range value {
			m.Term([]byte(term))
		}
		m.EndValue()
	}
	a := m.Signature()
	b := signature.Of(signature.DefaultParams(), []byte("For bleve!"), []byte("Near duplicate detection"))
	fmt.Println(a.Exact == b.Exact)
	// Output: true
}

func ExampleReason() {
	fmt.Println(signature.ByExact | signature.BySketch)
	// Output: exact+sketch
}
