package indextype

import (
	"expvar"

	"github.com/neardup/bleve-neardup/plugin/admission"
)

// newCounts returns figures of StatsMap that count, all of them 0.
func newCounts() *expvar.Map {
	counts := new(expvar.Map)
	for _, name := range []string{
		"signed", "empty", "short", "shortened", "untokenized", "unsigned",
		"judged", "tagged", "rejected", "replacing", "unscoped", "shadowed", "founded", "joined",
		"by_near", "by_flood", "by_known", "by_repetition", "by_hidden", "by_unscoped",
	} {
		counts.Add(name, 0)
	}
	return counts
}

// count counts verdicts.
func (x *Index) count(verdicts []admission.Verdict) {
	x.counts.Add("judged", int64(len(verdicts)))
	done := map[admission.Action]string{admission.Tag: "tagged", admission.Reject: "rejected", admission.Replace: "replacing"}
	for _, v := range verdicts {
		if v.Unscoped != "" {
			x.counts.Add("unscoped", 1)
		}
		if v.Founded {
			x.counts.Add("founded", 1)
		} else if v.Group != "" {
			x.counts.Add("joined", 1)
		}
		if name := done[v.Action]; name != "" {
			x.counts.Add(name, 1)
			x.counts.Add("by_"+v.Policy, 1)
			if v.Would != "" {
				x.counts.Add("shadowed", 1)
			}
		}
	}
}

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
//	neardup_founded, neardup_joined
//	                 documents that founded a group with a name, and that came into one that
//	                 there was, or stayed in it
//	neardup_refused  why nothing can be written, if so: the disk is full, or the index read_only
func (x *Index) StatsMap() map[string]any {
	m := x.Scorch.StatsMap()
	if m == nil { // closed
		m = make(map[string]any)
	}
	x.counts.Do(func(kv expvar.KeyValue) { m["neardup_"+kv.Key] = uint64(kv.Value.(*expvar.Int).Value()) })
	inForce := map[string]any{}
	for field, sets := range x.Templates() {
		inForce[field] = map[string]any{"scopes": len(sets.All()), "id": sets.ID()}
	}
	m["neardup_templates"] = inForce
	if err := x.Writable(); err != nil {
		m["neardup_refused"] = err.Error()
	}
	return m
}
