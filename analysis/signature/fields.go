package signature

import (
	"slices"
	"strings"
)

// DefaultField is the name of the fingerprinted field if none is named.
const DefaultField = "neardup"

// Field is the name of a fingerprinted field. Its methods return the names of the fields that are stored with it.
// FORMAT.md, section 14, says what these hold.
type Field string

const (
	prefix         = "~"
	sketchSuffix   = ".sketch"
	simhashSuffix  = ".simhash"
	timeSuffix     = ".time"
	passagesSuffix = ".passages"
)

var suffixes = []string{sketchSuffix, simhashSuffix, timeSuffix, passagesSuffix}

// Sketch returns the name of the stored field that holds the signature.
func (f Field) Sketch() string { return prefix + string(f) + sketchSuffix }

// Simhash returns the name of the stored field that holds the simhash.
func (f Field) Simhash() string { return prefix + string(f) + simhashSuffix }

// Time returns the name of the stored field that holds the time of a document, in the format of RFC 3339.
func (f Field) Time() string { return prefix + string(f) + timeSuffix }

// Passages returns the name of the field whose doc values have winnow.Prints, in their stored form. It is not stored.
func (f Field) Passages() string { return prefix + string(f) + passagesSuffix }

// Reserved reports whether a document must not have a field of this name, because
// signatures are stored under such names.
func Reserved(name string) bool {
	return strings.HasPrefix(name, prefix) &&
		slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(name, suffix) })
}
