// Package admission decides, before a document is written to an index of type neardup,
// whether the document is accepted, tagged or rejected, or replaces another. So a spam
// campaign, or a crawl of pages that the index has already, is stopped before it costs
// anything.
//
//	err := plugin.SetPolicy(context.Background(), index, &admission.Policy{
//		Near:   admission.Tag,
//		Scope:  "tenant",
//		Floods: []admission.Flood{{Copies: 3, Window: 24 * time.Hour}},
//		Known:  admission.Reject,
//	})
//
// # How
//
// The index type judges each write, so no write can avoid it. It signs the document, looks up its near-duplicates
// among all documents of its scope, exactly and in microseconds, and judges it by each part of the [Policy]. The
// severest [Action] counts. The document is then written together with its verdict, or not at all. Applications call
// package plugin: SetPolicy, Submit and DryRun; and Of, for methods such as MarkText. Try a new policy with
// Policy.Shadow first.
//
// # What is promised
//
// A document is never its own near-duplicate: an update is compared with all other documents. A batch is judged in the
// order of its ids, because bleve keeps no other order. Each document is compared with the index and with the
// documents before it in the batch. With Replace the best of a batch come first, so that nothing is deleted for the
// sake of a document that another one of the batch replaces. Documents that the batch deletes or updates no longer
// count. If an update is rejected, the old document stays and counts; it counts as well if that update is written
// after all, since what was in its way is not.
//
// Writes are linearizable. However Index, Batch, Delete, Submit, marks and SetPolicy overlap,
// verdicts and index are as if each had happened at one moment between its call and its
// return: a batch waits for another that writes or deletes what it writes, deletes, or relies on for a verdict.
// The module plugin/admission/linearizability checks this with porcupine, an independent
// checker. A dry run waits for nothing and uses the index as it is at that moment.
//
// Nothing of one scope shows in another scope, neither in verdicts nor in errors. The figures
// in StatsMap count the whole index.
//
// A document is tagged once, when it is written. The tag stays if the document that OfField names is deleted.
package admission
