package near_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/document"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/indextype"
	"github.com/neardup/bleve-neardup/plugin/near"
)

// groupedRandom is a signature near no other, of a text of some length.
func groupedRandom(rnd *rand.Rand) *signature.Signature {
	n := 20 + rnd.Uint64N(2000)
	s := &signature.Signature{
		Params: signature.DefaultParams().ID(), Exact: rnd.Uint64(), Simhash: rnd.Uint64(), Tokens: n + 3, Shingles: n, Lanes: 100, Sketch: make(sketch.Sketch, sketch.Words(100)),
	}
	for i := range 100 {
		s.Sketch.Set(i, uint8(rnd.Uint32()))
	}
	return s
}

// edited is the signature of s's text with changes.
func edited(rnd *rand.Rand, s *signature.Signature, lanes, hamming int) *signature.Signature {
	c := *s
	c.Exact, c.Sketch = rnd.Uint64(), slices.Clone(s.Sketch)
	c.Tokens += rnd.Uint64N(4)
	for range lanes {
		c.Sketch.Set(rnd.IntN(100), uint8(rnd.Uint32()))
	}
	for range hamming {
		c.Simhash ^= 1 << rnd.IntN(64)
	}
	return &c
}

// store stores signatures without a text behind the index type's back.
func store(b *testing.B, n int, all func(rnd *rand.Rand, n int, yield func(*signature.Signature))) bleve.Index {
	m := bleve.NewIndexMapping()
	m.DefaultMapping = bleve.NewDocumentStaticMapping()
	m.DefaultMapping.AddFieldMappingsAt("body", plugin.FieldMapping("neardup"))
	x := opened(b, filepath.Join(b.TempDir(), "x"), m)
	inner, err := x.Advanced()
	if err != nil {
		b.Fatal(err)
	}
	batch := index.NewBatch()
	i := 0
	all(rand.New(rand.NewPCG(41, 42)), n, func(s *signature.Signature) {
		text, err := s.MarshalText()
		if err != nil {
			b.Fatal(err)
		}
		d := document.NewDocument(fmt.Sprintf("https://example.org/documents/%08d", uint32(i)*2654435761))
		d.AddField(document.NewTextFieldCustom(signature.Field(plugin.Field).Sketch(), nil, text, index.StoreField, nil))
		batch.Update(d)
		if i++; i%10_000 == 0 || i == n {
			if err := inner.(*indextype.Index).Engine.Batch(batch); err != nil {
				b.Fatal(err)
			}
			batch = index.NewBatch()
		}
	})
	return x
}

// How the time grows with the size of one family, signatures being in memory: all
// equal; near each other; changed so much that only some are near some others; or near
// none, no family at all.
//
//	go test -run xxx -bench Family -benchtime 1x ./plugin/near
func BenchmarkFamily(b *testing.B) {
	for _, family := range []struct {
		name        string
		least, most int // lanes that differ from the original
	}{{"equal", 0, 0}, {"near", 0, 5}, {"loose", 4, 13}, {"unrelated", -1, -1}} {
		for _, n := range []int{1000, 10_000, 100_000} {
			if family.name == "loose" && n > 10_000 || testing.Short() && n > 1000 {
				continue
			}
			for _, by := range []near.By{near.Leaders, near.Components} {
				b.Run(fmt.Sprintf("%s/%s/n=%d", family.name, by, n), func(b *testing.B) {
					x := store(b, n, func(rnd *rand.Rand, n int, yield func(*signature.Signature)) {
						original := groupedRandom(rnd)
						for range n {
							s := original
							switch {
							case family.most < 0:
								s = groupedRandom(rnd)
							case family.most > 0:
								s = edited(rnd, original, family.least+rnd.IntN(family.most-family.least+1), 2*family.least+rnd.IntN(4))
							}
							yield(s)
						}
					})
					found := 0
					list := func() {
						found = 0
						for _, err := range near.Groups(context.Background(), x, near.GroupsOptions{By: by}) {
							if err != nil {
								b.Fatal(err)
							}
							found++
						}
					}
					list()
					b.ResetTimer()
					for b.Loop() {
						list()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/doc")
					b.ReportMetric(float64(found), "groups")
				})
			}
		}
	}
}
