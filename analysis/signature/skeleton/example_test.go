package skeleton_test

import (
	"fmt"

	"github.com/neardup/bleve-neardup/analysis/signature/skeleton"
)

func ExampleText() {
	for _, text := range []string{"Сhеар рills", "ｃｈｅａｐ ｐｉｌｌｓ", "ch\u200bea\u200bp pi\u0301lls", "cheap pills"} {
		fmt.Printf("%s\n", skeleton.Text(nil, []byte(text)))
	}
	// Output:
	// Cheap pills
	// cheap pills
	// cheap pills
	// cheap pills
}
