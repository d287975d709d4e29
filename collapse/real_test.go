package collapse_test

import (
	"fmt"
	"hash/fnv"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
)

func hash(s string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(s))
	return h.Sum32()
}

// Both forms against the oracle, on real text, of which the signature is that of the whole, and only the beginning is
// searched.
func TestRealText(t *testing.T) {
	t.Parallel()
	for set, words := range map[string]string{"": "loop vectorizer pass", "licenses/spdx_npm.jsonl.gz": "software license"} {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			all := neartest.Shipped
			if set != "" {
				all = func(tb testing.TB) []neartest.Doc { return neartest.FirstDocs(tb, set, 400) }
			}
			m := bleve.NewIndexMapping()
			m.DefaultMapping.AddFieldMappingsAt("project", bleve.NewKeywordFieldMapping())
			body := bleve.NewDocumentMapping()
			body.Fields = []*mapping.FieldMapping{plugin.FieldMapping("neardup")}
			m.DefaultMapping.AddSubDocumentMapping("body", body)
			index := newMappedIndex(t, m, nil)
			batch := index.NewBatch()
			for i, d := range all(t) {
				if i%size(1, 4) > 0 {
					continue
				}
				lead := []rune(d.Text)
				doc := map[string]any{
					"body": d.Text, "lead": string(lead[:min(len(lead), 400)]), "project": fmt.Sprint("p", hash(d.ID)%7), "version": hash(d.ID) % 5,
				}
				if err := batch.Index(d.ID, doc); err != nil {
					t.Fatal(err)
				}
			}
			flush(t, index, batch)
			match := bleve.NewMatchQuery(words)
			match.SetField("lead")
			for _, by := range [][]string{{"_id"}, {"-_score"}, {"-version", "-_score"}, {"project", "-_id"}} {
				r := bleve.NewSearchRequest(match)
				if by[0] == "_id" {
					r.Query = bleve.NewMatchAllQuery()
				}
				r.SortBy(by)
				ranked := rank(t, index, r)
				for i, o := range []collapse.Options{
					{},
					{Rule: signature.Rule{Lanes: 60, LongLanes: 85, Mode: signature.SketchOnly}},
					{Rule: signature.Rule{Hamming: 6, Mode: signature.SimhashOnly}},
					{Rule: signature.Rule{Lanes: 95, Hamming: 2, Mode: signature.Both}, Visible: 2},
				} {
					o.Whole = (i+len(by))%2 == 0
					checkOf(t, ranked, r, o).compare(60)
				}
			}
		})
	}
}
