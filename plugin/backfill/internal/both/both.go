// Package both makes bleve walk two values of one property. It is a package of its own
// because bleve's reflection passes over embedded fields whose types are not exported.
package both

// Values are two values, each of which bleve walks as if it were the only one at its
// place: bleve passes over the names of embedded fields that have a tag without a name.
type Values struct {
	First  `neardup:""`
	Second `neardup:""`
}

type (
	// First is the first value.
	First any
	// Second is the second value, perhaps Values itself.
	Second any
)
