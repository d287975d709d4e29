package docs

import (
	"context"
	"encoding/json"
	"regexp"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/plugin"
)

var jsonBlock = regexp.MustCompile("(?s)```json\n(.*?)```")

// The requests of the pages are answered, and all but those of other engines fold the
// three copies.
func TestRequests(t *testing.T) {
	query.CustomFilterQueryParser = serve.Parser(nil)
	m := bleve.NewIndexMapping()
	plugin.AddSignature(m.DefaultMapping, "body")
	index := foxes(m)
	defer index.Close()
	blocks := jsonBlock.FindAllStringSubmatch(page(t, "from-other-tools.md"), -1)
	if len(blocks) != 7 {
		t.Errorf("%d requests, want 7", len(blocks))
	}
	for _, b := range blocks {
		var request serve.Request
		if err := json.Unmarshal([]byte(b[1]), &request); err != nil {
			t.Fatalf("%s\n%v", b[1], err)
		}
		res, err := request.Search(context.Background(), index)
		if err != nil {
			t.Fatalf("%s\n%v", b[1], err)
		}
		if len(res.Hits) != 2 {
			t.Errorf("%s\ngives %d hits, want 2", b[1], len(res.Hits))
		}
		for i, g := range res.Groups {
			if versions := g.InnerHits["versions"]; request.Collapse.InnerHits != nil && (versions == nil || len(versions.Hits) != len(g.Members)) {
				t.Errorf("%s\ngives inner hits %v of group %d", b[1], versions, i)
			}
		}
		if lang := res.Facets["languages"]; lang != nil && lang.Terms.Terms()[0].Count != 2 {
			t.Errorf("%s\ngives facets %v", b[1], lang)
		}
	}
}
