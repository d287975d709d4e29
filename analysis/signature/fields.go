package signature

import "strings"

// DefaultField is the name of the fingerprinted field where none is named.
const DefaultField = "neardup"

// A document's signature is kept in two stored fields, named after the
// fingerprinted field F: ~F.sketch holds the text form of the signature, ~F.simhash
// the simhash alone, for people and other programs. Where they are asked for, ~F.time
// holds the document's time, and ~F.repetition what it repeats.
const (
	prefix        = "~"
	sketchSuffix  = ".sketch"
	simhashSuffix = ".simhash"
	timeSuffix    = ".time"

	repetitionSuffix = ".repetition"
)

// SketchField is the name of the stored field that holds the signature of the
// fingerprinted field so named.
func SketchField(field string) string { return prefix + field + sketchSuffix }

// SimhashField is the name of the stored field that holds its simhash.
func SimhashField(field string) string { return prefix + field + simhashSuffix }

// TimeField is the name of the stored field that holds the time of a document, as
// RFC 3339 has it.
func TimeField(field string) string { return prefix + field + timeSuffix }

// RepetitionField is the name of the stored field that holds repetition.Counts, in
// their stored form.
func RepetitionField(field string) string { return prefix + field + repetitionSuffix }

// Reserved reports whether a document may not have a field of this name, because
// signatures are stored under such names.
func Reserved(name string) bool {
	if !strings.HasPrefix(name, prefix) {
		return false
	}
	for _, suffix := range []string{sketchSuffix, simhashSuffix, timeSuffix, repetitionSuffix} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}
