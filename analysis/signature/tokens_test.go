package signature_test

import "github.com/neardup/bleve-neardup/analysis/signature"

// folded returns the folded tokens of a text.
func folded(value []byte) (all []string) {
	for _, t := range signature.Tokens(value) {
		all = append(all, string(t.Term))
	}
	return all
}

// common counts the elements that two sets have in common.
func common(a, b map[string]struct{}) (n int) {
	for s := range a {
		if _, ok := b[s]; ok {
			n++
		}
	}
	return n
}
