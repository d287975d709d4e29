package cluster_test

import (
	"context"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature/signaturetest"
	"github.com/neardup/bleve-neardup/collapse"
)

func BenchmarkX(b *testing.B) {
	docs := signaturetest.Shipped(b)[:400]
	c := newNodesOf(b, 3,0, nil)
	c.load(docsOf(docs))
	n := c.all["a"]
	match := bleve.NewMatchQuery("compiler")
	match.SetField("text")
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			r := bleve.NewSearchRequestOptions(match, 10, 0, false)
			if _, err := n.Index().Search(r); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("collapsed", func(b *testing.B) {
		for b.Loop() {
			if _, err := n.Search(context.Background(), bleve.NewSearchRequestOptions(match, 10, 0, false), collapse.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
