package main

import (
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/admission"
)

// method is a way to tell whether a mail is a copy of one that is marked.
type method struct {
	name string
	copy func(mark, mail *signature.Signature) bool
}

// compared are the methods of the table.
func compared(known admission.KnownRule) []method {
	rule := signature.Rule{}
	return []method{
		{"near-duplicate", rule.Duplicates},
		{"known", func(a, b *signature.Signature) bool {
			_, ok := known.Like(rule, admission.Spam, a, b)
			return ok
		}},
	}
}

func look(text string) signature.Signature {
	return signature.Of(signature.DefaultParams(), []byte(text))
}
