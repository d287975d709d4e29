package indextype

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
//	neardup_judged, neardup_tagged, neardup_rejected, neardup_replacing
//	                 documents that were judged by a policy since then, and what became of them
//	neardup_by_near, neardup_by_flood, neardup_by_known, neardup_by_repetition
//	                 which part of the policy decided that
//	neardup_shadowed documents that a policy in shadow tagged where it would have done more
func (x *Index) StatsMap() map[string]any {
	m := x.Scorch.StatsMap()
	if m == nil { // closed
		m = make(map[string]any)
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
