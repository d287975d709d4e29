// Package token has bleve's token filters of this module: [Band] and [Shingle]. They replace the tokens of a text by
// terms of its signature, for indexes that are not of type neardup: documents that are alike have terms in common.
package token

import "github.com/blevesearch/bleve/v2/registry"

func init() {
	for name, constructor := range map[string]registry.TokenFilterConstructor{Band: newBand, Shingle: newShingle} {
		if err := registry.RegisterTokenFilter(name, constructor); err != nil {
			panic(err)
		}
	}
}
