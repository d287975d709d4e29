package cluster_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin/cluster"
	"github.com/neardup/bleve-neardup/plugin/cluster/internal/rpc"
	"github.com/neardup/bleve-neardup/plugin/cluster/shards"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// Admission on three nodes of this process, HTTP between them: batches of 256, and the
// naive way, which asks every partition for every document, by a search over HTTP,
// and then writes it. Before, 1,024 documents are there.
func BenchmarkIngest(b *testing.B) {
	c := newNodes(b, 3, nil)
	n := c.all["a"]
	next := 0
	batch := func(size int) (docs []cluster.Document) {
		for range size {
			docs = append(docs, cluster.Document{ID: fmt.Sprint(next), Data: map[string]any{"text": text(next)}})
			next++
		}
		return docs
	}
	for range 4 {
		if _, err := n.Submit(context.Background(), batch(256)...); err != nil {
			b.Fatal(err)
		}
	}
	c.settled()
	perDoc := func(b *testing.B, size int, f func(docs []cluster.Document)) {
		docs := 0
		began, spent := time.Now(), neartest.CPU()
		for b.Loop() {
			f(batch(size))
			docs += size
		}
		c.settled()
		b.ReportMetric(float64(docs)/time.Since(began).Seconds(), "docs/s")
		b.ReportMetric(float64((neartest.CPU()-spent).Microseconds())/float64(docs), "cpu-µs/doc")
	}
	b.Run("batches", func(b *testing.B) {
		perDoc(b, 256, func(docs []cluster.Document) {
			if _, err := n.Submit(context.Background(), docs...); err != nil {
				b.Fatal(err)
			}
		})
	})
	remotes := c.remotes()
	b.Run("naive", func(b *testing.B) {
		perDoc(b, 16, func(docs []cluster.Document) {
			for _, d := range docs {
				if naive(b, remotes, d) {
					c.raw(rpc.Place(d.ID, 8), 0, d)
				}
			}
			c.settled()
		})
	})
}

// naive asks all partitions, one after the other, whether they have a near-duplicate.
func naive(b *testing.B, remotes []bleve.Index, d cluster.Document) bool {
	b.Helper()
	sig, err := neardup.SignDocument(newMapping(), signature.DefaultField, d.Data, nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, x := range remotes {
		res, err := near.Similar(context.Background(), x, near.SimilarRequest{Query: near.SimilarQuery{Signature: sig, ID: d.ID, MaxShare: 1}, Size: 1})
		if err != nil {
			b.Fatal(err)
		}
		if len(res.Hits) > 0 {
			return false
		}
	}
	return true
}

// remotes are the partitions, each behind HTTP at the node where it is the primary.
func (c *nodes) remotes() (all []bleve.Index) {
	for id, n := range c.all {
		for name, p := range n.Status().Partitions {
			if p.Primary {
				all = append(all, shards.NewRemote(name, c.servers[id].URL+"/parts/"+name, shards.RemoteOptions{Key: key, Client: c.client}))
			}
		}
	}
	return all
}

// What collapse adds to a search that is scattered over three nodes: medians of searches
// in turns, among some hundred manuals, and among every fifth of the documents of
// BenchmarkPage in package plugin.
func BenchmarkCollapse(b *testing.B) {
	b.Run("400", func(b *testing.B) {
		benchmarkCollapse(b, neartest.Shipped(b)[:400], "compiler", "loop vectorizer")
	})
	b.Run("20000", func(b *testing.B) {
		if testing.Short() {
			b.Skip("to read and to write the documents takes half a minute")
		}
		all := neartest.Docs(b, "enron-spam/docs.jsonl.gz")
		all = append(all, neartest.Sections(neartest.Docs(b, "docs-versions/docs.jsonl.gz"), 800)...)
		var docs []neartest.Doc
		for i := 0; i < len(all); i += 5 {
			docs = append(docs, all[i])
		}
		benchmarkCollapse(b, docs, "iterator", "pipeline", "gas price", "file", "subject")
	})
}

func benchmarkCollapse(b *testing.B, docs []neartest.Doc, queries ...string) {
	c := newNodesOf(b, 3, 0, nil)
	c.load(docsOf(docs))
	n := c.all["a"]
	var all []func() *bleve.SearchRequest
	for _, words := range queries {
		match := bleve.NewMatchQuery(words)
		match.SetField("text")
		request := func() *bleve.SearchRequest { return bleve.NewSearchRequestOptions(match, 10, 0, false) }
		all = append(all, request)
		b.Run(words, func(b *testing.B) { inTurns(b, n, request) })
	}
	b.Run("all", func(b *testing.B) { inTurns(b, n, all...) })
}

// inTurns times requests without collapse and with it, and compares the sums of their
// medians.
func inTurns(b *testing.B, n *cluster.Node, requests ...func() *bleve.SearchRequest) {
	plain, collapsed := make([][]time.Duration, len(requests)), make([][]time.Duration, len(requests))
	var matches uint64
	for b.Loop() {
		matches = 0
		for i, request := range requests {
			began := time.Now()
			r, err := n.Index().Search(request())
			half := time.Now()
			if err != nil {
				b.Fatal(err)
			}
			if _, err := n.Search(context.Background(), request(), collapse.Options{}); err != nil {
				b.Fatal(err)
			}
			plain[i], collapsed[i] = append(plain[i], half.Sub(began)), append(collapsed[i], time.Since(half))
			matches += r.Total
		}
	}
	var p, q time.Duration
	for i := range requests {
		slices.Sort(plain[i])
		slices.Sort(collapsed[i])
		p, q = p+plain[i][len(plain[i])/2], q+collapsed[i][len(collapsed[i])/2]
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(matches), "matches")
	b.ReportMetric(float64(p.Microseconds()), "plain-µs")
	b.ReportMetric(float64(q)/float64(p), "times")
}
