package plugin_test

import (
	"encoding/json"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/plugin"
)

// AddSignature twice is AddSignature once, keeps what is there, and leaves the text searchable.
func TestAddSignature(t *testing.T) {
	t.Parallel()
	m := bleve.NewIndexMapping()
	m.DefaultMapping.AddFieldMappingsAt("title", bleve.NewKeywordFieldMapping())
	plugin.AddSignature(m.DefaultMapping, "title", "body")
	once, _ := json.Marshal(m)
	plugin.AddSignature(m.DefaultMapping, "title", "body")
	if twice, _ := json.Marshal(m); string(twice) != string(once) {
		t.Errorf("got %s, then %s", once, twice)
	}
	index := opened(t, "", m)
	if err := index.Index("a", map[string]any{"title": "Two Words", "body": "some text"}); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"body:text", "text", `title:"Two Words"`} {
		res, err := index.Search(bleve.NewSearchRequest(bleve.NewQueryStringQuery(q)))
		if err != nil || res.Total != 1 {
			t.Errorf("%s: got %v, %v", q, res, err)
		}
	}
}
