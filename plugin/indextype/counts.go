package indextype

import (
	"sync/atomic"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// counts count since this process opened the index.
type counts struct {
	signed, empty, short, shortened, unsigned, untokenized atomic.Uint64
}

// add counts a signature that was made. A signature of an untokenized text is not stored. left is
// how many tokens of a template were left out.
func (c *counts) add(s *signature.Signature, left uint64, untokenized bool) {
	if untokenized {
		c.untokenized.Add(1)
		return
	}
	c.signed.Add(1)
	if left > 0 {
		c.shortened.Add(1)
	}
	switch {
	case s.Tokens == 0:
		c.empty.Add(1)
	case s.Shingles == 0:
		c.short.Add(1)
	}
}
