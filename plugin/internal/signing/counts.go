package signing

import (
	"sync/atomic"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// Counts count the signatures that were made: indextype.Index.StatsMap says what each is.
type Counts struct {
	signed, empty, short, shortened, untokenized, unsigned atomic.Uint64
}

// Written counts the documents without a signature of a batch that was written.
func (c *Counts) Written(batch *index.Batch) {
	for _, doc := range batch.IndexOps {
		if doc != nil && unsigned(doc) { // no deletion
			c.unsigned.Add(1)
		}
	}
}

// add counts a signature that was made. A signature of an untokenized text is not stored. left is
// how many tokens of a template were left out.
func (c *Counts) add(s *signature.Signature, left uint64, untokenized bool) {
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

// Stats returns the counts by name.
func (c *Counts) Stats() map[string]uint64 {
	return map[string]uint64{
		"signed": c.signed.Load(), "empty": c.empty.Load(), "short": c.short.Load(),
		"shortened": c.shortened.Load(), "untokenized": c.untokenized.Load(), "unsigned": c.unsigned.Load(),
	}
}
