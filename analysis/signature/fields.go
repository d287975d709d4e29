package signature

import "strings"

// DefaultField is the name of the fingerprinted field if none is named.
const DefaultField = "neardup"

// A document's signature is kept in two stored fields, named after the fingerprinted field
// F: ~F.sketch holds the text form of the signature, and ~F.simhash the simhash alone, for
// people and other programs. On request, ~F.time holds the document's time and
// ~F.repetition what the document repeats, and ~F.hidden how much of it HTML hides. ~F.passages, on request,
// is not stored: it is doc values alone.
const (
	prefix        = "~"
	sketchSuffix  = ".sketch"
	simhashSuffix = ".simhash"
	timeSuffix    = ".time"

	repetitionSuffix = ".repetition"
	passagesSuffix   = ".passages"
	hiddenSuffix     = ".hidden"
)

// SketchField returns the name of the stored field that holds the signature of a
// fingerprinted field.
func SketchField(field string) string { return prefix + field + sketchSuffix }

// SimhashField returns the name of the stored field that holds the simhash of a
// fingerprinted field.
func SimhashField(field string) string { return prefix + field + simhashSuffix }

// TimeField returns the name of the stored field that holds the time of a document, in the
// format of RFC 3339.
func TimeField(field string) string { return prefix + field + timeSuffix }

// RepetitionField returns the name of the stored field that holds repetition.Counts, in
// their stored form.
func RepetitionField(field string) string { return prefix + field + repetitionSuffix }

// PassagesField returns the name of the field whose doc values have winnow.Prints, in their stored form.
func PassagesField(field string) string { return prefix + field + passagesSuffix }

// HiddenField returns the name of the stored field that holds html.Words, in their stored form.
func HiddenField(field string) string { return prefix + field + hiddenSuffix }

// Reserved reports whether a document must not have a field of this name, because
// signatures are stored under such names.
func Reserved(name string) bool {
	if !strings.HasPrefix(name, prefix) {
		return false
	}
	for _, suffix := range []string{sketchSuffix, simhashSuffix, timeSuffix, repetitionSuffix, passagesSuffix, hiddenSuffix} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}
