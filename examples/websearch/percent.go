package main

import (
	"fmt"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// percent writes an estimated resemblance. That all lanes agree does not make two texts the
// same: 100 % is said only if their exact hashes agree.
func percent(share float64, m signature.Match) string {
	text := fmt.Sprintf("%.0f %%", 100*share)
	if text == "100 %" && m.By&signature.ByExact == 0 {
		return "> 99 %"
	}
	return text
}
