// Package skeleton is a bleve char filter that writes text in plain letters. A copy
// disguised with letters that look alike, full-width or mathematical letters, marks or
// invisible characters then has the signature of the text that a reader sees. A
// fingerprinted field names this [CharFilter]:
//
//	"custom": {"analyzers": {"mail_signature": {"type": "neardup", "char_filters": ["neardup_html", "neardup_skeleton"]}}}
//
// Package analysis/signature/skeleton says which letter becomes which. ASCII stays as it
// is, so English text has the same signature as without this filter, and costs only one
// look at its bytes. Text in other scripts changes: if an index has such text and
// signatures made without the filter, the signatures must be made again (package
// plugin/backfill). Offsets of tokens count from the start of the changed text.
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

// Filter returns the skeleton of input, or input itself if it is ASCII. It does not change
// input.
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
