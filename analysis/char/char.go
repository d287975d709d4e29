// Package char has bleve's char filters of this module. A fingerprinted field names them:
//
//	"custom": {"analyzers": {"mail_signature": {"type": "neardup", "char_filters": ["neardup_html", "neardup_skeleton"]}}}
//
// [HTML] turns HTML into its text, so that pages which differ only in markup have one signature. [Skeleton] writes text
// in plain letters, so that a copy in disguise has the signature of the text that a reader sees.
//
// A filter changes the length of a text, so offsets of tokens count from the start of the changed text. This does not
// matter for a fingerprinted field, whose terms are not highlighted. What a filter leaves out is not part of the
// signature; it is indexed and shown as before.
package char

import "github.com/blevesearch/bleve/v2/registry"

func init() {
	for name, constructor := range map[string]registry.CharFilterConstructor{HTML: newHTML, Skeleton: newSkeleton} {
		if err := registry.RegisterCharFilter(name, constructor); err != nil {
			panic(err)
		}
	}
}
