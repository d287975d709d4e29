//go:build !vectors

package collapse

import "github.com/blevesearch/bleve/v2"

func hasKNN(*bleve.SearchRequest) bool             { return false }
func copyKNN(_, _ *bleve.SearchRequest) (most int) { return 0 }
