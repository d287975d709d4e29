package indextype

import (
	"sync/atomic"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
)

// written counts the documents of a batch that have no signature.
func (c *counts) written(batch *index.Batch) {
	for _, doc := range batch.IndexOps {
		if doc == nil || doc.ID() == purgeID { // deleted, or there only for a moment
			continue
		}
		if s, ok := doc.(*signed); ok && s.signs() || synonyms(doc) {
			continue
		}
		c.unsigned.Add(1)
	}
}

// synonyms reports whether doc is a definition of synonyms, which bleve writes as one.
func synonyms(doc index.Document) (is bool) {
	if d, ok := doc.(index.SynonymDocument); ok {
		d.VisitSynonymFields(func(index.SynonymField) { is = true })
	}
	return is
}

// counts are of this process, since the index was opened.
type counts struct {
	signed, empty, short, unsigned, untokenized atomic.Uint64
}

// add counts a signature that was made. Untokenized is one of text without a token, which
// is not stored.
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

// StatsMap adds to scorch's figures, which bleve shows in Index.StatsMap and in
// expvar:
//
//	neardup_signed   signatures made since the index was opened
//	neardup_empty    of these, of documents without any token, which match nothing
//	neardup_short    of these, of texts shorter than a shingle, which match by
//	                 their exact hash alone
//	neardup_untokenized
//	                 texts with letters or digits of which the analyzer's tokenizer and token
//	                 filters leave no token: they have no signature
//	neardup_unsigned documents written without a signature since then: these, and those
//	                 without a value in any fingerprinted field. If it grows where
//	                 neardup_signed does not, the mapping that fingerprints is not that of
//	                 the documents' type
//	neardup_judged, neardup_tagged, neardup_rejected, ...
//	                 what became of documents since then: see admission.Gate.Stats
func (x *Index) StatsMap() map[string]interface{} {
	m := x.Scorch.StatsMap()
	if m == nil { // closed
		m = make(map[string]interface{})
	}
	m["neardup_signed"] = x.counts.signed.Load()
	m["neardup_empty"] = x.counts.empty.Load()
	m["neardup_short"] = x.counts.short.Load()
	m["neardup_unsigned"] = x.counts.unsigned.Load()
	m["neardup_untokenized"] = x.counts.untokenized.Load()
	for name, n := range x.gate.Stats() {
		m["neardup_"+name] = n
	}
	return m
}
