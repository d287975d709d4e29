package near_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/registry"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/analysis/signature/sketch"
	"github.com/neardup/bleve-neardup/analysis/token"
	"github.com/neardup/bleve-neardup/internal/column"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
	"github.com/neardup/bleve-neardup/plugin/near"
)

var backends = []near.Backend{near.Memory, near.Terms}

// bands names an analyzer of which terms are keys on an index of type neardup too.
const bands = "with_bands"

func newMapping(t testing.TB, config map[string]any) *mapping.IndexMappingImpl {
	t.Helper()
	m := bleve.NewIndexMapping()
	all := map[string]any{"type": neardup.Name, "terms": "bands"}
	maps.Copy(all, config)
	if err := m.AddCustomAnalyzer(bands, all); err != nil {
		t.Fatal(err)
	}
	m.DefaultMapping = bleve.NewDocumentStaticMapping()
	return m
}

// texts makes an index of type neardup, with the text in property body, which has
// other fields too if they are given, and a scope.
func texts(t testing.TB, config map[string]any, others ...*mapping.FieldMapping) bleve.Index {
	t.Helper()
	m := newMapping(t, config)
	m.DefaultMapping.AddFieldMappingsAt("body", append(others, plugin.FieldMapping(bands))...)
	m.DefaultMapping.AddFieldMappingsAt("more", plugin.FieldMapping(bands))
	m.DefaultMapping.AddFieldMappingsAt("scope", keywords(""))
	x := opened(t, "", m)
	return x
}

func keywords(name string) *mapping.FieldMapping {
	f := bleve.NewTextFieldMapping()
	f.Name, f.Analyzer, f.Store = name, keyword.Name, false
	return f
}

// forging is an index type that takes signatures as a stored field of the document,
// and lets them be found in memory like one of type neardup.
const forging = "neardup_forging"

type forge struct {
	*scorch.Scorch
	store column.Store
}

func (f *forge) Reader() (index.IndexReader, error) {
	r, err := f.Scorch.Reader()
	if err == nil {
		f.store.Adopt(r)
	}
	return r, err
}

func init() {
	err := registry.RegisterIndexType(forging, func(name string, config map[string]any, q *index.AnalysisQueue) (index.Index, error) {
		inner, err := scorch.NewScorch(name, config, q)
		if err != nil {
			return nil, err
		}
		return &forge{Scorch: inner.(*scorch.Scorch)}, nil
	})
	if err != nil {
		panic(err)
	}
}

// forged makes an index of documents whose signatures are given. No text of theirs is
// analysed: the field's terms are written as they would have come.
func forged(t testing.TB, kind, path string) bleve.Index {
	t.Helper()
	m := newMapping(t, nil)
	m.DefaultMapping.AddFieldMappingsAt("unused", plugin.FieldMapping(bands))
	m.DefaultMapping.AddFieldMappingsAt("terms", keywords(plugin.Field))
	m.DefaultMapping.AddFieldMappingsAt("scope", keywords(""))
	m.DefaultMapping.AddFieldMappingsAt(signature.Field(plugin.Field).Sketch(), &mapping.FieldMapping{Type: "text", Store: true})
	x, err := bleve.NewUsing(path, m, kind, bleve.Config.DefaultKVStore, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// forgedDoc is a document with a signature; nil for one without.
func forgedDoc(t testing.TB, s *signature.Signature, scope ...string) map[string]any {
	t.Helper()
	doc := map[string]any{"scope": scope}
	if s == nil {
		return doc
	}
	text, err := s.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	var terms []string
	for _, term := range (token.Plan{Bands: 11, Blocks: 4}).Terms(s, 0) {
		terms = append(terms, string(term.Term))
	}
	doc["terms"], doc[signature.Field(plugin.Field).Sketch()] = terms, string(text)
	return doc
}

// put writes documents, some hundreds to a segment; nil deletes one.
func put(t testing.TB, x bleve.Index, docs map[string]any) {
	t.Helper()
	batch := x.NewBatch()
	send := func() {
		if err := x.Batch(batch); err != nil {
			t.Fatal(err)
		}
		batch = x.NewBatch() // scorch still reads one that deletes, after it has written it
	}
	for id, doc := range docs {
		if doc == nil {
			batch.Delete(id)
		} else if err := batch.Index(id, doc); err != nil {
			t.Fatal(err)
		}
		if batch.Size() == 700 {
			send()
		}
	}
	send()
}

// nearIDs returns the ids of what a query matches, in order.
func nearIDs(t testing.TB, x bleve.Index, q query.Query) (ids []string) {
	t.Helper()
	res, err := x.SearchInContext(context.Background(), bleve.NewSearchRequestOptions(q, 200_000, 0, false))
	if err != nil {
		t.Fatal(err)
	}
	if res.Status.Failed > 0 {
		t.Fatal(res.Status.Errors)
	}
	if res.Total != uint64(len(res.Hits)) {
		t.Fatalf("total %d, %d hits", res.Total, len(res.Hits))
	}
	for _, hit := range res.Hits {
		ids = append(ids, hit.ID)
	}
	slices.Sort(ids)
	return ids
}

// oracle returns the ids of all that are near s, by plain comparison.
func oracle(rule signature.Rule, all map[string]*signature.Signature, s *signature.Signature) (ids []string) {
	for id, other := range all {
		if other != nil && neartest.Duplicates(rule, s, other) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// random returns a signature like those of the default parameters, near none other.
func random(rnd *rand.Rand) *signature.Signature {
	s := &signature.Signature{
		Params: signature.DefaultParams().ID(), Exact: rnd.Uint64(), Simhash: rnd.Uint64(),
		Tokens: 20, Shingles: 17, Lanes: 100, Sketch: make(sketch.Sketch, sketch.Words(100)),
	}
	for i := range 100 {
		s.Sketch.Set(i, uint8(rnd.Uint32()))
	}
	return s
}

// words returns n made-up words from the i-th on.
func words(i, n int) string {
	var b strings.Builder
	for ; n > 0; n-- {
		fmt.Fprintf(&b, "word%d ", i*7919%100_003)
		i++
	}
	return b.String()
}

// opened makes an index that is closed when the test ends.
func opened(t testing.TB, path string, m mapping.IndexMapping) bleve.Index {
	t.Helper()
	x, err := plugin.New(path, m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// bodies is a mapping that fingerprints the body.
func bodies() *mapping.IndexMappingImpl {
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	return m
}
