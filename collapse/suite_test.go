package collapse_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/mapping"

	"github.com/neardup/bleve-neardup/collapse"
	"github.com/neardup/bleve-neardup/collapse/serve"
	"github.com/neardup/bleve-neardup/plugin"
)

// Each directory below testdata is a suite in the form of bleve's own integration
// tests: a mapping, documents (data, or datasets of an alias) and searches. A search
// is a serve.Request. Its result has what is written there, and may have more;
// what must be absent is null.
type suiteCase struct {
	Comment string          `json:"comment"`
	Search  json.RawMessage `json:"search"`
	Result  map[string]any  `json:"result"`
	Error   string          `json:"error"` // a part of it
}

func TestSuites(t *testing.T) {
	t.Parallel()
	dirs, err := filepath.Glob("testdata/*/searches.json")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("%d suites, error %v", len(dirs), err)
	}
	for _, searches := range dirs {
		dir := filepath.Dir(searches)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			var cases []suiteCase
			readJSON(t, searches, &cases)
			index := suiteIndex(t, dir)
			for i, c := range cases {
				t.Run(fmt.Sprintf("%d %s", i, c.Comment), func(t *testing.T) { c.run(t, index) })
				if !strings.Contains(string(c.Search), `"whole"`) {
					t.Run(fmt.Sprintf("%d remote", i), func(t *testing.T) { c.run(t, remote{index}) })
				}
			}
		})
	}
}

// suiteIndex makes the index of a suite.
func suiteIndex(t *testing.T, dir string) bleve.Index {
	m := bleve.NewIndexMapping()
	readJSON(t, filepath.Join(dir, "mapping.json"), m)
	sets, err := filepath.Glob(filepath.Join(dir, "datasets", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(sets) == 0 {
		return suiteData(t, m, filepath.Join(dir, "data"))
	}
	alias := bleve.NewIndexAlias()
	if err := alias.SetIndexMapping(m); err != nil {
		t.Fatal(err)
	}
	for _, set := range sets {
		alias.Add(suiteData(t, m, set))
	}
	return alias
}

// suiteData indexes the documents in dir.
func suiteData(t *testing.T, m *mapping.IndexMappingImpl, dir string) bleve.Index {
	index, err := plugin.New("", m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	index.SetName(filepath.Base(dir))
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d documents in %s, error %v", len(files), dir, err)
	}
	for _, file := range files {
		var doc map[string]any
		readJSON(t, file, &doc)
		if err := index.Index(strings.TrimSuffix(filepath.Base(file), ".json"), doc); err != nil {
			t.Fatal(err)
		}
	}
	return index
}

func readJSON(t *testing.T, file string, v any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

func (c suiteCase) run(t *testing.T, index bleve.Index) {
	var r serve.Request
	err := json.Unmarshal(c.Search, &r)
	if err == nil {
		err = r.Validate()
	}
	var result *collapse.Result
	if err == nil {
		result, err = r.Search(context.Background(), index)
	}
	if c.Error != "" {
		if err == nil || !strings.Contains(err.Error(), c.Error) {
			t.Errorf("got error %v, want one with %q", err, c.Error)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if at := lacks(got, c.Result); at != "" {
		t.Errorf("%s\nof %s", at, data)
	}
}

// lacks tells where got has not what want has, or returns "". Lists have the same
// length; objects of got may have more members.
func lacks(got, want any) string {
	switch want := want.(type) {
	case map[string]any:
		members, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf(": got %v, want an object", got)
		}
		for name, v := range want {
			if at := lacks(members[name], v); at != "" {
				return "." + name + at
			}
		}
	case []any:
		elements, ok := got.([]any)
		if !ok || len(elements) != len(want) {
			return fmt.Sprintf(": got %v, want %v", got, want)
		}
		for i, v := range want {
			if at := lacks(elements[i], v); at != "" {
				return fmt.Sprintf("[%d]%s", i, at)
			}
		}
	default:
		if got != want {
			return fmt.Sprintf(": got %v, want %v", got, want)
		}
	}
	return ""
}
