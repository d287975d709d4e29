// Package adopt has a program in the shape of a real application, a browsing history, before and after it adopts
// neardup. examples/docs/adopt.md shows what changed.
package adopt
