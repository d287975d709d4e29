// Package admission decides, before a document is written to an index of type
// neardup, whether it is accepted, tagged, rejected, or takes the place of another:
// spam campaigns and crawls of what is there already are stopped at the door.
//
//	err := plugin.SetPolicy(context.Background(), index, &admission.Policy{
//		Near:  admission.Tag,
//		Scope: "tenant",
//		Flood: &admission.Flood{Copies: 3, Window: 24 * time.Hour},
//		Known: admission.Reject,
//	})
//
// # How
//
// A write is judged where it passes in any case, in the index type: no write goes
// round it, and what is judged is written with the verdict or not at all. A document
// is signed, its near-duplicates are looked up among all that is in its scope (package
// internal/column: exactly, in microseconds), and judged by the parts of the
// [Policy]; the severest [Action] counts.
//
// Applications call package plugin: SetPolicy, Submit, DryRun, MarkText and MarkDocument.
// A policy that is new is best tried with Policy.Shadow first. The index keeps its policy,
// so that nothing is accepted because a program has forgotten to set it. [Gate],
// [Document], [Admission] and [Kept] are for the index type.
//
// # What is promised
//
// A document is never its own near-duplicate: an update is compared with the others. A
// batch is judged in the order of the ids, since bleve does not keep another, each
// document against the index and those before it. What the same batch deletes is not
// there any more, nor what it updates, unless that update is rejected: then the
// document stays as it was.
//
// Writes are linearizable: whatever comes at the same time, by Index, Batch, Delete,
// Submit, marks or SetPolicy, verdicts and index are as if one had come after the other,
// in an order in which nothing comes before what had returned when it was called. A batch
// waits for another, until that is in the index or has failed, if one of them writes or
// deletes a document that the other writes, deletes or goes by. Module
// plugin/admission/linearizability checks this with a checker of others. A dry run waits
// for nobody: it tells of the index as it is at that moment.
//
// Nothing of one scope shows in another: not in verdicts, not in errors, and lookups
// do not pass its documents. The figures of [Gate.Stats] are of the whole index.
//
// A document is tagged once, when it is written. When the document that OfField names
// is deleted, the tag stays as it was; what is written next is tagged with one that is
// there.
package admission
