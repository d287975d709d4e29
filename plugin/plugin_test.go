package plugin_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"

	"github.com/neardup/bleve-neardup/analysis/signature"
	"github.com/neardup/bleve-neardup/plugin"
)

func TestNewAndOpen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.bleve")
	m := bleve.NewIndexMapping()
	if _, err := plugin.New(path, m); err == nil || !strings.Contains(err.Error(), `wanted a text field whose analyzer is of type "neardup"`) {
		t.Errorf("a mapping without signature: got %v", err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the refused index is there: %v", err)
	}
	plugin.AddSignature(m.DefaultMapping, "title", "body")
	index, err := plugin.New(path, m)
	if err != nil {
		t.Fatal(err)
	}
	if err := index.Index("a", map[string]any{"title": "t", "body": "some text"}); err != nil {
		t.Fatal(err)
	}
	if err := index.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := plugin.New(path, m); err == nil {
		t.Error("New on a path that exists gives no error")
	}
	if index, err = plugin.Open(path); err != nil {
		t.Fatal(err)
	}
	if n, err := index.DocCount(); n != 1 || err != nil {
		t.Errorf("got %d documents, %v", n, err)
	}
	if err := index.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := plugin.Open(path + "x"); err != bleve.ErrorIndexPathDoesNotExist {
		t.Errorf("no such path: got %v", err)
	}
}

func TestOpenPlain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "plain.bleve")
	plain, err := bleve.New(path, bleve.NewIndexMapping())
	if err != nil {
		t.Fatal(err)
	}
	if err := plain.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := plugin.Open(path); err == nil || !strings.Contains(err.Error(), `wanted an index of type "neardup", got a *scorch.Scorch`) {
		t.Errorf("got %v", err)
	}
	again, err := bleve.Open(path) // it was closed
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

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

// The whole way by bleve's own means: mapping JSON, NewUsing, Open.
func TestMappingJSON(t *testing.T) {
	t.Parallel()
	const text = `{
		"default_mapping": {"dynamic": true, "enabled": true, "properties": {"body": {"dynamic": true, "enabled": true, "fields": [
			{"type": "text", "store": true, "index": true},
			{"type": "text", "name": "neardup", "analyzer": "page_signature", "index": true}
		]}}},
		"analysis": {"analyzers": {"page_signature": {"type": "neardup", "width": 3, "lanes": 128, "char_filters": ["html"]}}}
	}`
	m := bleve.NewIndexMapping()
	if err := json.Unmarshal([]byte(text), m); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.bleve")
	index, err := bleve.NewUsing(path, m, "neardup", bleve.Config.DefaultKVStore, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := index.Index("a", map[string]any{"body": "<p>some text of several words</p>"}); err != nil {
		t.Fatal(err)
	}
	if err := index.Close(); err != nil {
		t.Fatal(err)
	}
	if index, err = bleve.Open(path); err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	r := bleve.NewSearchRequest(bleve.NewMatchAllQuery())
	r.Fields = []string{signature.Field(plugin.Field).Sketch()}
	res, err := index.Search(r)
	if err != nil || len(res.Hits) != 1 {
		t.Fatal(res, err)
	}
	var sig signature.Signature
	if err := sig.UnmarshalText([]byte(res.Hits[0].Fields[r.Fields[0]].(string))); err != nil {
		t.Fatal(err)
	}
	if sig.Lanes != 128 || sig.Tokens != 5 || sig.Shingles != 3 {
		t.Errorf("got %+v", sig)
	}
}
