// Package admission decides, before a document is written to an index of type
// neardup, whether it is accepted, tagged, rejected, or takes the place of another:
// spam campaigns and crawls of what is there already are stopped at the door.
//
//	err := plugin.SetPolicy(index, &admission.Policy{
//		Near:  admission.Tag,
//		Scope: "tenant",
//		Flood: &admission.Flood{Copies: 3, Window: admission.Duration(24 * time.Hour)},
//		Known: admission.Reject,
//	})
//
// # How
//
// A write is judged where it passes in any case, in the index type: no write goes
// round it, and what is judged is written with the verdict or not at all. A document
// is signed, its near-duplicates are looked up among all that is in its scope (package
// collapse/column: exactly, in microseconds), and held against the parts of the
// [Policy]; the severest [Action] counts.
//
// Applications call package plugin: SetPolicy, Submit, DryRun, MarkText and MarkDocument.
// A policy that is new is best tried with Policy.Shadow first. [Gate], [Document] and
// [Admission] are for the index type.
//
// # What is promised
//
// A document is never its own near-duplicate: an update is held against the others. A
// batch is judged in the order of the ids, since bleve does not keep another, each
// document against the index and those before it. What the same batch deletes is not
// there any more, nor what it updates, unless that update is rejected: then the
// document stays as it was. Of batches that are written at the same time one is
// judged after the other, and if they have near-duplicates in common the second waits
// until the first is in the index, or has failed.
//
// Nothing of one scope shows in another: not in verdicts, not in errors, and lookups
// do not pass its documents. The figures of [Gate.Stats] are of the whole index.
//
// A document is tagged once, when it is written. When the document that OfField names
// is deleted, the tag stays as it was; what is written next is tagged with one that is
// there.
package admission
