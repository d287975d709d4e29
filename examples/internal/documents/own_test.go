package documents

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/custom"
	"github.com/blevesearch/bleve/v2/analysis/token/lowercase"
	"github.com/blevesearch/bleve/v2/registry"
)

// ownFilter is a token filter that this program alone has.
const ownFilter = "of_one_application"

func init() { // once, however often the test runs
	c := func(map[string]any, *registry.Cache) (analysis.TokenFilter, error) {
		return lowercase.NewLowerCaseFilter(), nil
	}
	if err := registry.RegisterTokenFilter(ownFilter, c); err != nil {
		panic(err)
	}
}

// An index of an analyzer that no package of bleve's has cannot be opened where it is not
// registered, and the error says what to do.
func TestOwnAnalyzer(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x")
	m := bleve.NewIndexMapping()
	for _, a := range []struct{ analyzer, filter string }{{"polish", "stop_pl"}, {"own", ownFilter}} {
		config := map[string]any{"type": custom.Name, "tokenizer": "whitespace", "token_filters": []any{"to_lower", a.filter}}
		if err := m.AddCustomAnalyzer(a.analyzer, config); err != nil {
			t.Fatal(err)
		}
	}
	x, err := bleve.New(path, m)
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	// Another name of the same length stands for a process without the filter.
	swap(t, path, ownFilter, strings.Repeat("x", len(ownFilter)))
	_, err = Open(path, true)
	const want = `: wanted a mapping of what bleve ships, got one with parts of the application's own \(.*x{18}.*\): call the library in a program that imports them`
	if err == nil || !regexp.MustCompile(want).MatchString(err.Error()) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
	swap(t, path, strings.Repeat("x", len(ownFilter)), ownFilter)
	if x, err = Open(path, true); err != nil {
		t.Fatal(err)
	}
	x.Close()
}

// swap puts a name in the place of another of its length in root.bolt, which has the mapping.
func swap(t *testing.T, path, old, now string) {
	t.Helper()
	file := filepath.Join(path, "store", "root.bolt")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data, []byte(old)) {
		t.Fatalf("no %q in root.bolt", old)
	}
	if err := os.WriteFile(file, bytes.ReplaceAll(data, []byte(old), []byte(now)), 0o600); err != nil {
		t.Fatal(err)
	}
}
