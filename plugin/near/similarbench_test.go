package near_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// BenchmarkQuery is a query through bleve, hits and all, of an index on disk with a
// quarter of the documents in families of 2 to 7, as written and merged into one
// segment:
//
//	go test -run '^$' -bench Query -benchtime 2000x ./plugin/near
func BenchmarkQuery(b *testing.B) {
	const n = 30_000
	rnd := rand.New(rand.NewPCG(61, 62))
	docs, probes := map[string]any{}, []*signature.Signature{}
	for len(docs) < n {
		s := random(rnd)
		docs[fmt.Sprint(len(docs))] = forgedDoc(b, s)
		if rnd.IntN(12) > 0 {
			continue
		}
		probes = append(probes, s)
		for range 1 + rnd.IntN(6) {
			docs[fmt.Sprint(len(docs))] = forgedDoc(b, apart(rnd, s, rnd.Perm(100)[:rnd.IntN(11)], nil))
		}
	}
	x := forged(b, forging, filepath.Join(b.TempDir(), "x"))
	put(b, x, docs)
	run := func(name string, backend near.Backend) {
		b.Run(name+"/"+string(backend), func(b *testing.B) {
			ask := func(i int) int {
				q := &near.SimilarQuery{Signature: probes[i%len(probes)], Backend: backend}
				res, err := x.SearchInContext(context.Background(), bleve.NewSearchRequest(q))
				if err != nil {
					b.Fatal(err)
				}
				return len(res.Hits)
			}
			ask(0)
			found, i := 0, 0
			for b.Loop() {
				found += ask(i)
				i++
			}
			b.ReportMetric(float64(found)/float64(b.N), "found/op")
		})
	}
	for _, backend := range backends {
		run("segments", backend)
	}
	inner, err := x.Advanced()
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := inner.(*forge).ForceMerge(ctx, nil); err != nil {
		b.Fatal(err)
	}
	for _, backend := range backends {
		run("merged", backend)
	}
}
