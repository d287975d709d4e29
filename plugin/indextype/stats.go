package indextype

// StatsMap adds to scorch's figures, which bleve shows in Index.StatsMap and in
// expvar:
//
//	neardup_signed   signatures made since the index was opened
//	neardup_empty    among them, signatures of documents without any token, which match
//	                 nothing
//	neardup_short    among them, signatures of texts shorter than a shingle, which match by
//	                 their exact hash alone
//	neardup_untokenized
//	                 texts with letters or digits in which the analyzer's tokenizer and token
//	                 filters find no token: they have no signature
//	neardup_unsigned documents written without a signature since then: documents with such a
//	                 text, and documents without a value in any fingerprinted field. If it
//	                 grows and neardup_signed does not, the documents have a type whose
//	                 mapping fingerprints nothing
//	neardup_shortened
//	                 of the signatures, how many leave words of a template out
//	neardup_templates
//	                 by field, which templates are in force: the number of scopes that have
//	                 one, and an id that is another for other templates
//	neardup_judged, neardup_tagged, neardup_rejected, neardup_replacing
//	                 documents that a policy has judged since then, and what it did to them
//	neardup_by_near, neardup_by_flood, neardup_by_known, neardup_by_repetition, neardup_by_hidden,
//	neardup_by_unscoped
//	                 which part of the policy decided
//	neardup_unscoped documents without a term in the field Policy.Scope, which were compared
//	                 with one another
//	neardup_shadowed documents that a policy in shadow tagged and otherwise would have
//	                 rejected or replaced
//	neardup_refused  why nothing can be written, if so: the disk is full, or the index read_only
func (x *Index) StatsMap() map[string]any {
	m := x.Scorch.StatsMap()
	if m == nil { // closed
		m = make(map[string]any)
	}
	for _, all := range []map[string]uint64{x.counts.Stats(), x.gate.Stats()} {
		for name, n := range all {
			m["neardup_"+name] = n
		}
	}
	inForce := map[string]any{}
	for field, sets := range *x.templates.Load() {
		inForce[field] = map[string]any{"scopes": len(sets.All()), "id": sets.ID()}
	}
	m["neardup_templates"] = inForce
	if err := x.Writable(); err != nil {
		m["neardup_refused"] = err.Error()
	}
	return m
}
