package plugin_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"testing"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/tokenizer/unicode"
	"github.com/blevesearch/bleve/v2/registry"

	"github.com/neardup/bleve-neardup/analysis/analyzer/neardup"
	classic "github.com/neardup/bleve-neardup/analysis/classic/token"
	"github.com/neardup/bleve-neardup/analysis/token"
)

// A configuration makes a component that analyses text, or an error: as a mapping from
// somebody else may have it.
func FuzzConfiguration(f *testing.F) {
	for _, config := range []string{
		`{}`,
		`{"width":16,"lanes":1024,"simhash_width":16,"seed":"0xffffffffffffffff","terms":"bands"}`,
		`{"width":1e300,"lanes":-1}`,
		`{"fingerprint":"rabin40","bag":true,"simhash_weight":"log","terms":"all"}`,
		`{"tokenizer":"unicode","token_filters":["to_lower","stop_en"],"char_filters":["neardup_html"]}`,
		`{"tokenizer":"","token_filters":[""],"char_filters":[null]}`,
		`{"terms":"mod","m":0}`,
		`{"terms":"bottom","s":4294967296}`,
		`{"agree":1,"hamming":64,"terms":"bands"}`,
		`{"groups":1000,"group_width":1}`,
		`null`,
	} {
		f.Add([]byte(config), "The quick brown fox; the quick brown fox.\u200b 東京")
	}
	filters := []string{token.Band, token.Shingle, classic.Minhash, classic.Supershingle}
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		var config map[string]any
		if json.Unmarshal(data, &config) != nil {
			return
		}
		cache := registry.NewCache()
		if a, err := neardup.AnalyzerConstructor(config, cache); err == nil {
			a.Analyze([]byte(text))
			first, _ := a.(*neardup.Analyzer).Sign([]byte(text))
			if second, _ := a.(*neardup.Analyzer).Sign([]byte(text)); !reflect.DeepEqual(first, second) {
				t.Errorf("%s: two signatures of %q", data, text)
			}
		} else if a != nil {
			t.Errorf("%s: an analyzer and %v", data, err)
		}
		tokens := func() analysis.TokenStream { return unicode.NewUnicodeTokenizer().Tokenize([]byte(text)) }
		for _, name := range filters {
			typed := map[string]any{}
			maps.Copy(typed, config)
			typed["type"] = name
			if filter, err := cache.DefineTokenFilter(name+" of the test", typed); err == nil {
				filter.Filter(tokens())
			}
		}
	})
}
