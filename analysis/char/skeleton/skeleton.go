// Package skeleton is a bleve char filter that writes text in plain letters: copies
// disguised by letters that look alike, by full-width or mathematical letters, by marks
// or by what is not to be seen then have the signature of the text as a reader sees it.
//
//	"custom": {"analyzers": {"mail_signature": {"type": "neardup", "char_filters": ["neardup_html", "neardup_skeleton"]}}}
//
// What becomes of which letter is said in package analysis/signature/skeleton. ASCII
// stays as it is, so English text has the signature that it has without this filter,
// and takes no longer but for one look at its bytes. Text in other scripts changes:
// of an index with such text, and signatures made without the filter, the signatures
// are to be made anew (package plugin/backfill). Offsets of tokens count from the start
// of the changed text.
package skeleton

import (
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/internal/config"
	"github.com/neardup/bleve-neardup/analysis/signature/skeleton"
)

// Name is the filter's name in a mapping.
const Name = "neardup_skeleton"

// CharFilter is the char filter. It is safe for concurrent use.
type CharFilter struct{}

// New returns a CharFilter.
func New() *CharFilter { return &CharFilter{} }

// Filter returns the skeleton of input, which it does not change, or input itself if
// that is ASCII.
func (*CharFilter) Filter(input []byte) []byte {
	if skeleton.IsASCII(input) {
		return input
	}
	return skeleton.Text(make([]byte, 0, len(input)), input)
}

// CharFilterConstructor makes a CharFilter; it has no options.
func CharFilterConstructor(values map[string]any, cache *registry.Cache) (analysis.CharFilter, error) {
	if err := config.New(Name, values).Err(); err != nil {
		return nil, err
	}
	return New(), nil
}

func init() {
	if err := registry.RegisterCharFilter(Name, CharFilterConstructor); err != nil {
		panic(err)
	}
}
