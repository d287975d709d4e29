package table_test

import (
	"fmt"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/table"
)

func Example() {
	t := table.New(signature.Rule{})
	for _, text := range []string{
		"The quick brown fox jumps over the lazy dog while the cat looks on from the wall.",
		"A fox is a small animal of the dog family that lives in woods, fields and towns.",
		"The Quick Brown Fox jumps over the lazy dog, while the cat looks on from the wall!",
	} {
		s := signature.Of(signature.DefaultParams(), []byte(text))
		fmt.Println(t.First(&s))
		t.Add(&s)
	}
	// Output:
	// -1
	// -1
	// 0
}
