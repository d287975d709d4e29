package signature

import (
	"slices"
	"strings"
)

// DefaultField is the name of the fingerprinted field if none is named.
const DefaultField = "neardup"

// FORMAT.md, section 14, says what these fields of a fingerprinted field F hold. ~F.passages is not stored: it is doc
// values alone.
const (
	prefix         = "~"
	sketchSuffix   = ".sketch"
	simhashSuffix  = ".simhash"
	timeSuffix     = ".time"
	passagesSuffix = ".passages"
	hiddenSuffix   = ".hidden"
)

var suffixes = []string{sketchSuffix, simhashSuffix, timeSuffix, passagesSuffix, hiddenSuffix}

// SketchField returns the name of the stored field that holds the signature of a
// fingerprinted field.
func SketchField(field string) string { return prefix + field + sketchSuffix }

// SimhashField returns the name of the stored field that holds the simhash of a
// fingerprinted field.
func SimhashField(field string) string { return prefix + field + simhashSuffix }

// TimeField returns the name of the stored field that holds the time of a document, in the
// format of RFC 3339.
func TimeField(field string) string { return prefix + field + timeSuffix }

// PassagesField returns the name of the field whose doc values have winnow.Prints, in their stored form.
func PassagesField(field string) string { return prefix + field + passagesSuffix }

// HiddenField returns the name of the stored field that holds html.Words, in their stored form.
func HiddenField(field string) string { return prefix + field + hiddenSuffix }

// Reserved reports whether a document must not have a field of this name, because
// signatures are stored under such names.
func Reserved(name string) bool {
	return strings.HasPrefix(name, prefix) &&
		slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(name, suffix) })
}
