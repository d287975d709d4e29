package indextype

import (
	"sync/atomic"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// counts count since this process opened the index.
type counts struct {
	signed, empty, short, unsigned, untokenized atomic.Uint64
}

// add counts a signature that was made. A signature of an untokenized text is not stored.
func (c *counts) add(s *signature.Signature, untokenized bool) {
	if untokenized {
		c.untokenized.Add(1)
		return
	}
	c.signed.Add(1)
	switch {
	case s.Tokens == 0:
		c.empty.Add(1)
	case s.Shingles == 0:
		c.short.Add(1)
	}
}
