package collapse_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/internal/neartest"
	"github.com/neardup/bleve-neardup/plugin"
)

// realIndex indexes docs of which keep says yes: the signature is that of the whole
// text, but only the beginning is searched, which takes a tenth of the time.
func realIndex(t *testing.T, all []neartest.Doc, keep func(neartest.Doc) bool) bleve.Index {
	t.Helper()
	docs := map[string]page{}
	for _, d := range all {
		if !keep(d) {
			continue
		}
		project, _ := d.Fields["project"].(string)
		if project == "" {
			project = fmt.Sprint("p", hash(d.ID)%7)
		}
		lead := []rune(d.Text)
		docs[d.ID] = page{Body: d.Text, Project: project, Version: float64(hash(d.ID) % 5), lead: string(lead[:min(len(lead), 400)])}
		if testing.Short() && len(docs) == 120 {
			break
		}
	}
	m := bleve.NewIndexMapping()
	m.DefaultMapping.AddFieldMappingsAt("project", bleve.NewKeywordFieldMapping())
	body := bleve.NewDocumentMapping()
	body.Fields = []*mapping.FieldMapping{plugin.FieldMapping("neardup")}
	m.DefaultMapping.AddSubDocumentMapping("body", body)
	return newMappedIndex(t, m, docs)
}

func hash(s string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(s))
	return h.Sum32()
}

// Both forms against the oracle, on real text, with every option that decides what is
// shown.
func TestRealText(t *testing.T) {
	t.Parallel()
	all := func(neartest.Doc) bool { return true }
	for _, tt := range []struct {
		set, words string
		keep       func(neartest.Doc) bool
	}{
		{"", "loop vectorizer pass", all},
		{"mccormick-plagiarism/docs_1000.jsonl.gz", "police government", all},
		{"licenses/spdx_npm.jsonl.gz", "software license", all},
		{"licenses/project_files.jsonl.gz", "software", all},
		{"docs-versions/docs.jsonl.gz", "kafka cluster", func(d neartest.Doc) bool {
			path, _ := d.Fields["path"].(string)
			return hash(path)%6 == 0 // with all versions of it
		}},
	} {
		t.Run(tt.set, func(t *testing.T) {
			t.Parallel()
			var docs []neartest.Doc
			if tt.set == "" {
				docs = neartest.Shipped(t)
			} else {
				most := math.MaxInt
				if testing.Short() {
					most = 1000
				}
				docs = neartest.FirstDocs(t, tt.set, most)
			}
			index := realIndex(t, docs, tt.keep)
			everything := byID(bleve.NewMatchAllQuery())
			want := oracle(t, index, everything, collapse.Options{})
			compareTo(t, index, everything, collapse.Options{}, want, 700)
			checkAllWhole(t, index, everything, collapse.Options{}, want)
			match := bleve.NewMatchQuery(tt.words)
			match.SetField("lead")
			var requests []*bleve.SearchRequest
			var all []ranked
			for _, by := range [][]string{{"-_score"}, {"-version", "-_score"}, {"project", "-_id"}} {
				r := bleve.NewSearchRequestOptions(match, 40, 0, false)
				r.SortBy(by)
				requests, all = append(requests, r), append(all, rank(t, index, r))
			}
			for i, o := range []collapse.Options{
				{},
				{Visible: 2},
				{Missing: collapse.DropMissing},
				{Missing: collapse.GroupMissing},
				{Visible: -1},
				{Rule: signature.Rule{Lanes: 60, Mode: signature.SketchOnly}},
				{Rule: signature.Rule{Hamming: 6, Mode: signature.SimhashOnly}},
				{Rule: signature.Rule{Lanes: 95, Hamming: 2, Mode: signature.Both}, Visible: 2},
			} {
				r, want := requests[i%3], all[i%3].collapsed(o)
				compareTo(t, index, r, o, want, 60)
				checkAllWhole(t, index, r, o, want)
			}
		})
	}
}
