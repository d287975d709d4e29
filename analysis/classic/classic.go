// Package classic makes the other sketches of the literature from the fingerprints that signature.Maker.Shingles
// returns. They are for programs that follow a published method, and the yardstick for signatures.
//
//   - [Bottom] has the s least elements of a set (Broder, 1997; Thorup, 2013).
//   - [Modm] has the elements that m divides, and so estimates containment, too (Broder, 1997).
//   - [MinwiseOf] makes the lanes of MinHash with a permutation for each (Broder and others, 1998).
//   - [Supershingles] are hashes of groups of lanes (Broder and others, 1997; Fetterly, Manasse and Najork, 2003).
//
// The comments of these types have the titles of the papers.
package classic
