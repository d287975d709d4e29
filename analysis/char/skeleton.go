package char

import (
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/internal/component"
	"github.com/neardup/bleve-neardup/analysis/signature/skeleton"
)

// Skeleton is the name, in a mapping, of the char filter that writes text in plain letters. A copy
// disguised with letters that look alike, full-width or mathematical letters, marks or
// invisible characters then has the signature of the text that a reader sees.
//
// Package analysis/signature/skeleton says which letter becomes which. ASCII stays as it is, but for single letters in
// a row ("v i a g r a"), which become a word. So English text has the same signature as without this filter, and costs
// only one look at its bytes. Text in other scripts changes: if an index has such text and signatures made without the
// filter, the signatures must be made again (package plugin/backfill).
const Skeleton = "neardup_skeleton"

type skeletonFilter struct{}

// Filter returns the skeleton of input, which can be input itself. It does not change input.
func (skeletonFilter) Filter(input []byte) []byte {
	if skeleton.Plain(input) {
		return input
	}
	return skeleton.Text(make([]byte, 0, len(input)), input)
}

func newSkeleton(values map[string]any, _ *registry.Cache) (analysis.CharFilter, error) {
	if err := component.New(Skeleton, values).Err(); err != nil {
		return nil, err
	}
	return skeletonFilter{}, nil
}
