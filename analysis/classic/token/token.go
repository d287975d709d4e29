// Package token has bleve's token filters of the sketches of the literature: [Minhash] and [Supershingle].
package token

import "github.com/blevesearch/bleve/v2/registry"

func init() {
	for name, constructor := range map[string]registry.TokenFilterConstructor{Minhash: newMinhash, Supershingle: newSupershingle} {
		if err := registry.RegisterTokenFilter(name, constructor); err != nil {
			panic(err)
		}
	}
}
