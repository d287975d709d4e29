// Package adopt has three programs in the shape of real applications, each before and after it adopts
// neardup: a browsing history, mailboxes, and versioned manuals. examples/docs/adopt.md shows what changed.
package adopt
