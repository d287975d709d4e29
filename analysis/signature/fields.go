package signature

import "strings"

// DefaultField is the name of the fingerprinted field where none is named.
const DefaultField = "neardup"

// A document's signature is kept in two stored fields, named after the
// fingerprinted field F: ~F.sketch holds the text form of the signature, ~F.simhash
// the simhash alone, for people and other programs.
const (
	prefix        = "~"
	sketchSuffix  = ".sketch"
	simhashSuffix = ".simhash"
)

// SketchField is the name of the stored field that holds the signature of the
// fingerprinted field so named.
func SketchField(field string) string { return prefix + field + sketchSuffix }

// SimhashField is the name of the stored field that holds its simhash.
func SimhashField(field string) string { return prefix + field + simhashSuffix }

// Reserved reports whether a document may not have a field of this name, because
// signatures are stored under such names.
func Reserved(name string) bool {
	return strings.HasPrefix(name, prefix) &&
		(strings.HasSuffix(name, sketchSuffix) || strings.HasSuffix(name, simhashSuffix))
}
